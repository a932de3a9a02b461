"""The rows of a trace that lie between a tensor and a loss, by values, and what they are folded into.

A picture holds few nodes, and a loop makes thousands of rows. Kept are the two ends, every cut, and every branch as
long as there is room; chains between them become one fold, then whole stretches between points that every way passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..record import rows as columns
from ..record.rows import Rows

Numbers = NDArray[np.int64]
_MASK = (1 << columns._COUNT) - 1
_MOST_CUTS = 10  # that are kept one by one when nothing else makes the picture small enough


@dataclass(frozen=True)
class Way:
    """Groups of rows, in the order of the run, each with at least one row; and what each was made from.

    words: the first word of each row of a group. edges: (earlier group, later group) -> whether the earlier one
    required grad there.
    """

    groups: tuple[Numbers, ...]
    words: tuple[Numbers, ...]
    edges: Mapping[tuple[int, int], bool]


def between(
    rows: Rows,
    first: Iterable[int],
    last: Iterable[int],
    bridges: Collection[tuple[int, int]],
    most: int,
    marked: Collection[int] = (),
    stops: Collection[int] = (),
    recorded: bool = False,
) -> Way:
    """What leads from the rows `first` to the rows `last`, in at most `most` groups.

    bridges: pairs of an earlier row and a later one that its value came to by a way that no row tells of. marked: rows
    that stand alone if there is room; so do cuts, and what has a name whose number is in `stops`. recorded: only ways
    that `backward()` goes. Without any way there are no groups.
    """
    table = _Table(rows)
    begins, ends = table.places(list(first)), table.places(list(last))
    jumps = table.places([row for pair in bridges for row in pair]).reshape(-1, 2)
    found = table.flow(begins, ends, jumps, recorded)
    if not len(found):
        return Way((), (), {})
    both = np.concatenate([begins, ends])
    kept = np.concatenate([both, jumps.reshape(-1), table.places(list(marked))])
    return _Folding(table, found, both, kept, list(stops)).result(most)


def behind(rows: Rows, last: Iterable[int]) -> set[int]:
    """The rows that these were computed from, and these."""
    table = _Table(rows)
    return set(table.rows(np.flatnonzero(table.behind(table.places(list(last))))).tolist())


def sources(rows: Rows, last: Iterable[int]) -> tuple[Counter[int], set[int]]:
    """What was computed on the way to these rows: how many of each name, and where values of unknown origin came in."""
    table = _Table(rows)
    ends = table.places(list(last))
    before = np.flatnonzero(table.behind(ends))
    words = table.words[before]
    source = (words & columns.SOURCE) > 0
    flags = columns.TRACKED_IN | columns.TRACKED_OUT
    unknown = source & (words & flags == columns.TRACKED_IN)
    names = words[~source] >> columns._NAME & 0xFFF
    return Counter(names.tolist()), set(table.rows(before[unknown]).tolist())


class _Table:
    """The rows under consecutive places: the elders first, then the recent ones, each after what it was made from."""

    def __init__(self, rows: Rows) -> None:
        elders = sorted(rows.elders.items())
        recent = np.array(rows.words, np.uint64).reshape(-1, 2).astype(np.int64)
        flat = np.array(rows.flat, np.int64)
        self._old = np.array([row for row, _ in elders], np.int64)
        self._start = rows.start
        self.words = np.concatenate([np.array([word for _, (word, _) in elders], np.int64), recent[:, 0]])
        counts = [len(inputs) for _, (_, inputs) in elders]
        early = np.fromiter(chain.from_iterable(inputs for _, (_, inputs) in elders), np.int64, sum(counts))
        inputs = np.concatenate([early, flat])
        self._late = np.repeat(np.arange(len(self.words)), [*counts, *(recent[:, 1] & _MASK).tolist()])
        self._early, self._tracked = self.places(inputs >> 1), inputs & 1

    def places(self, rows: Numbers | list[int]) -> Numbers:
        """Of rows that are gone: that of the unknown source."""
        rows = np.asarray(rows, np.int64)
        at = np.minimum(np.searchsorted(self._old, rows), len(self._old) - 1)
        old = np.where(self._old[at] == rows, at, 0)
        return np.where(rows >= self._start, rows - self._start + len(self._old), old)

    def rows(self, places: Numbers) -> Numbers:
        recent = places - len(self._old)
        return np.where(recent >= 0, recent + self._start, self._old[np.minimum(places, len(self._old) - 1)])

    def behind(self, last: Numbers) -> bytearray:
        """Marks the places that these were computed from, and these."""
        wanted = bytearray(len(self.words))
        for place in last.tolist():
            wanted[place] = 1
        for source, place in zip(self._early[::-1].tolist(), self._late[::-1].tolist(), strict=True):
            if wanted[place]:
                wanted[source] = 1
        return wanted

    def _followed(self) -> NDArray[np.bool_]:
        """The edges that `backward()` follows; what ran in a reentrant checkpoint is recorded when that runs again."""
        inside = (self.words & columns.CHECKPOINT) > 0
        gives = ((self.words & columns.TRACKED_OUT) > 0) & (self.words >> columns._CUT & 15 == 0)
        followed: NDArray[np.bool_] = ((self._tracked > 0) | inside[self._early]) & (gives | inside)[self._late]
        return followed

    def flow(self, first: Numbers, last: Numbers, jumps: Numbers, recorded: bool = False) -> Numbers:
        """The edges on any way from the first places to the last: (from, to, required grad)."""
        chosen = self._followed() if recorded else slice(None)
        early = np.concatenate([self._early[chosen], jumps[:, 0]])
        late = np.concatenate([self._late[chosen], jumps[:, 1]])
        if len(jumps):
            order = np.argsort(late, kind="stable")
            early, late = early[order], late[order]
        leads, wanted = bytearray(len(self.words)), bytearray(len(self.words))
        for place in first.tolist():
            leads[place] = 1
        sources, uses = early.tolist(), late.tolist()
        for source, place in zip(sources, uses, strict=True):
            if leads[source]:
                leads[place] = 1
        for place in last.tolist():
            wanted[place] = leads[place]
        for source, place in zip(reversed(sources), reversed(uses), strict=True):
            if wanted[place] and leads[source]:
                wanted[source] = 1
        on = np.frombuffer(wanted, np.uint8).astype(bool)
        tracked = np.concatenate([self._tracked[chosen], np.zeros(len(jumps), np.int64)])
        tracked = tracked[order] if len(jumps) else tracked
        kept = on[early] & on[late]
        return np.stack([early[kept], late[kept], tracked[kept]], axis=1)


class _Folding:
    """Groups of places, made larger until they are few enough."""

    def __init__(self, table: _Table, edges: Numbers, ends: Numbers, kept: Numbers, stops: list[int]) -> None:
        self._table = table
        seen = np.zeros(len(table.words), bool)
        seen[edges[:, :2]] = True
        self._on = np.flatnonzero(seen)
        number = np.cumsum(seen) - 1
        self._from, self._to, self._tracked = number[edges[:, 0]], number[edges[:, 1]], edges[:, 2]
        self._words = table.words[self._on]
        self._ends = np.isin(self._on, ends)
        self._kept = np.isin(self._on, kept) | (self._words >> columns._CUT & 15 > 0)
        self._kept |= np.isin(self._words >> columns._NAME & 0xFFF, stops)

    def result(self, most: int) -> Way:
        group = self._chains()
        for fold in (self._stretches, self._intervals):
            if len(_distinct(group)) > most:
                group = fold(group)
        heads = _distinct(group)
        numbers = np.searchsorted(heads, group)
        order = np.argsort(numbers, kind="stable")
        cuts = np.searchsorted(numbers[order], np.arange(1, len(heads)))
        rows = self._table.rows(self._on)
        edges: dict[tuple[int, int], bool] = {}
        coded = _distinct((numbers[self._from] * len(heads) + numbers[self._to]) * 2 + self._tracked)
        for pair, tracked in zip((coded // 2).tolist(), (coded & 1).tolist(), strict=True):
            early, late = divmod(pair, len(heads))
            if early != late:
                edges[early, late] = edges.get((early, late), False) or bool(tracked)
        return Way(tuple(np.split(rows[order], cuts)), tuple(np.split(self._words[order], cuts)), edges)

    def _chains(self) -> Numbers:
        """Each row that has one way in and one way out joins the row before it, if that is such a one, too."""
        count = len(self._on)
        pairs = np.divmod(_distinct(self._from * count + self._to), count)
        inner = (np.bincount(pairs[0], minlength=count) == 1) & (np.bincount(pairs[1], minlength=count) == 1)
        inner &= ~self._kept
        before = np.arange(count)
        before[pairs[1]] = pairs[0]
        group = np.where(inner & inner[before], before, np.arange(count))
        while True:
            further = group[group]
            if (further == group).all():
                return group
            group = further

    def _stretches(self, group: Numbers) -> Numbers:
        """What lies between two points that every way passes joins, if nothing in it must be kept.

        Ways that begin at the tensor itself or end at the loss are left aside: a weight is used at each step of a loop.
        """
        heads, position = np.unique(group, return_inverse=True)
        early, late = position[self._from], position[self._to]
        inside = ~(self._ends[self._from] | self._ends[self._to]) & (early != late)
        furthest = np.zeros(len(heads) + 1, np.int64)
        np.maximum.at(furthest, early[inside] + 1, late[inside])
        passed = np.maximum.accumulate(furthest)[: len(heads)] <= np.arange(len(heads))
        kept = np.zeros(len(heads), bool)
        kept[position[self._kept]] = True
        alone = passed & kept
        stretch = np.cumsum(passed | np.concatenate([[False], alone[:-1]]))  # such a point begins a stretch
        closed = np.zeros(stretch[-1] + 1, bool)
        closed[stretch[kept]] = True
        free = ~closed[stretch]
        joins = free & np.concatenate([[False], free[:-1]])
        label = np.maximum.accumulate(np.where(joins, 0, np.arange(len(heads))))
        return heads[label][position]

    def _intervals(self, group: Numbers) -> Numbers:
        """Everything between two kept ones joins; with more cuts than fit, the later ones join as well."""
        heads, position = np.unique(group, return_inverse=True)
        kept = np.zeros(len(heads), bool)
        kept[position[self._kept]] = True
        ends = np.zeros(len(heads), bool)
        ends[position[self._ends]] = True
        cuts = np.flatnonzero(kept & ~ends)
        firsts: dict[int, int] = {}  # where a loop cuts again and again, the first time stands for all
        for cut in cuts.tolist():
            firsts.setdefault(int(self._words[heads[cut]]) >> columns._SITE, cut)
        kept[cuts] = False
        kept[list(firsts.values())[:_MOST_CUTS]] = True
        edge = np.flatnonzero(ends)
        kept[edge[2:-2]] = False
        joins = ~kept & np.concatenate([[False], ~kept[:-1]])
        label = np.maximum.accumulate(np.where(joins, 0, np.arange(len(heads))))
        return heads[label][position]


def _distinct(values: Numbers) -> Numbers:
    """Each once, in order; numpy's own `unique` takes several times as long for this many."""
    values = np.sort(values)
    fresh = np.concatenate([[True], values[1:] != values[:-1]])
    return np.asarray(values[fresh], np.int64)
