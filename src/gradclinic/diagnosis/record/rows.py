"""The columns of a trace: what ran, on what, in a few dozen bytes per operation, and how old history is folded.

A row is two words: what happened (place, module, name, flags, cause of a cut) and where its inputs stand in one
long column. An input is the number of its row and one bit: whether that tensor required grad at that time. Row
numbers only grow and are never used twice. Rows that two finished steps have left behind become *elders*: those that a
living tensor descends from are kept, tracked ones as they are (their graph lives as long), and of untracked history
only its cuts, the leaves behind each cut, and its sources.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

TRACKED_IN, TRACKED_OUT, GRAD_MODE, INFERENCE, IN_PLACE, SOURCE, FACTORY, CHECKPOINT = (1 << n for n in range(8))
_CUT = 8  # four bits
_NAME, _MODULE, _SITE = 12, 24, 40  # 12, 16 and 20 bits: 60 in all
_COUNT = 20  # bits of the second word that count the inputs; the others say where they begin

CUTS = (
    None,
    "detached",
    "left_torch",
    "rewrapped",
    "grad_mode_off",
    "not_differentiable",
    "no_create_graph",
    "checkpoint_cut",
)
Inputs = tuple[int, ...]


class Overflow(Exception):
    """A column has no room for this value; the row is left out and the trace is no longer complete."""


def pack(flags: int, cut: int, name: int, module: int, site: int) -> int:
    return flags | cut << _CUT | name << _NAME | module << _MODULE | site << _SITE


def cut_of(word: int) -> int:
    return word >> _CUT & 15


def name_of(word: int) -> int:
    return word >> _NAME & 0xFFF


def module_of(word: int) -> int:
    return word >> _MODULE & 0xFFFF


def site_of(word: int) -> int:
    return word >> _SITE


class Rows:
    """`words` and `flat` hold the recent rows, from number `start` on; `elders` the few older ones."""

    MOST_BEHIND = 20_000  # rows behind one cut that are searched for its leaves
    MOST_REMNANTS = 256  # cuts and sources that one value remembers of its untracked history

    def __init__(self) -> None:
        self.words = array("Q")
        self.flat = array("I")
        self.start = 1  # row 0 is the unknown source
        self._flat_start = 0
        self.elders: dict[int, tuple[int, Inputs]] = {0: (SOURCE | TRACKED_IN, ())}
        self._after_sweep = 0

    def __len__(self) -> int:
        return len(self.words) // 2 + len(self.elders) - 1

    @property
    def end(self) -> int:
        return self.start + len(self.words) // 2

    def add(self, word: int, inputs: list[int]) -> int:
        """One extend each: an interrupt between the two leaves inputs that no row claims, and no row half written."""
        count = len(inputs)
        if count >> _COUNT:
            raise Overflow
        begin = self._flat_start + len(self.flat)
        self.flat.extend(inputs)
        row = self.start + (len(self.words) >> 1)
        self.words.extend((word, begin << _COUNT | count))
        return row

    def get(self, row: int) -> tuple[int, Inputs]:
        """The word and the inputs of a row; of one that is gone, those of an unknown source."""
        if row < self.start:
            return self.elders.get(row) or self.elders[0]
        at = 2 * (row - self.start)
        return self.words[at], self._inputs(self.words[at + 1])

    def has(self, row: int) -> bool:
        return row >= self.start or row in self.elders

    def _inputs(self, where: int) -> Inputs:
        begin = (where >> _COUNT) - self._flat_start
        return tuple(self.flat[begin : begin + (where & (1 << _COUNT) - 1)])

    def __iter__(self) -> Iterator[int]:
        yield from sorted(row for row in self.elders if row)
        yield from range(self.start, self.end)

    # ---- folding

    def retire(self, until: int, alive: set[int]) -> None:
        """Forgets the rows before `until`, except for what living tensors and later rows descend from."""
        wanted = self._wanted(until, alive)
        fold = _Fold(self, wanted, alive)
        self.elders |= fold.elders(row for row, full in wanted.items() if full)
        self._forget(until)
        if len(self.elders) > 2 * self._after_sweep + 1_000:
            self._sweep(alive)

    def drop(self, count: int, alive: set[int]) -> int:
        """Gives up the oldest history, needed or not, sources that live apart; returns how many rows that was."""
        before = len(self)
        until = min(self.end, self.start + max(0, count - len(self.elders) + 1))
        kept = {row: self.get(row) for row in alive if row < until and self.get(row)[0] & SOURCE}
        self.elders = {0: self.elders[0]} | kept
        self._forget(until)
        self._after_sweep = len(self.elders)
        return before - len(self)

    def _forget(self, until: int) -> None:
        gone = until - self.start
        flat = self.words[2 * gone + 1] >> _COUNT if until < self.end else self._flat_start + len(self.flat)
        del self.flat[: flat - self._flat_start]
        del self.words[: 2 * gone]
        self.start, self._flat_start = until, flat

    def _wanted(self, until: int, alive: set[int]) -> dict[int, bool]:
        """The rows before `until` that must stay (True), or whose history another one is folded into (False)."""
        start = self.start
        wanted = dict.fromkeys((row for row in alive if start <= row < until), True)
        begin = (self.words[2 * (until - start) + 1] >> _COUNT) - self._flat_start if until < self.end else None
        later = self.flat[begin:] if begin is not None else array("I")
        wanted |= dict.fromkeys((value >> 1 for value in later if start <= value >> 1 < until), True)
        todo = sorted(wanted)
        marked = bytearray(until - start)
        for row in todo:
            marked[row - start] = 2
        for row in range(until - 1, start - 1, -1):
            mark = marked[row - start]
            if not mark:
                continue
            wanted[row] = mark == 2
            word, inputs = self.get(row)
            tracked = word & TRACKED_OUT
            for value in inputs:
                before = (value >> 1) - start
                if before < 0 or marked[before] == 2:
                    continue
                if tracked:
                    marked[before] = 2
                elif not value & 1:
                    marked[before] = 1
        return wanted

    def _sweep(self, alive: set[int]) -> None:
        kept: set[int] = {0}
        todo = [row for row in alive if row < self.start]
        todo += [value >> 1 for value in self.flat if value >> 1 < self.start]
        while todo:
            row = todo.pop()
            if row in kept or row not in self.elders:
                continue
            kept.add(row)
            todo += [value >> 1 for value in self.elders[row][1]]
        self.elders = {row: elder for row, elder in self.elders.items() if row in kept}
        self._after_sweep = len(self.elders)

    def leaves(self, roots: Iterable[int], alive: set[int]) -> Inputs:
        """The living leaves that tracked rows come from, as inputs; row 0 among them where the search gave up."""
        seen: set[int] = set()
        found: set[int] = set()
        todo = list(roots)
        while todo:
            row = todo.pop()
            if row in seen:
                continue
            seen.add(row)
            if len(seen) > self.MOST_BEHIND:
                found.add(0)
                break
            word, inputs = self.get(row)
            before = [value >> 1 for value in inputs if value & 1]
            if before and not cut_of(word):
                todo += before
            elif row in alive or word & (SOURCE | TRACKED_IN) == SOURCE | TRACKED_IN:
                found.add(row if row in alive else 0)
        return tuple(row << 1 | 1 for row in sorted(found))


class _Fold:
    """Folds untracked history: for each value the cuts and sources that it comes from, one of each kind and place."""

    def __init__(self, rows: Rows, wanted: dict[int, bool], alive: set[int]) -> None:
        self._rows = rows
        self._alive = alive
        self._behind: dict[int, Inputs] = {}
        self._past: dict[int, tuple[int, ...]] = {}
        for row in sorted(wanted):
            self._past[row] = self._past_of(row)

    def elders(self, needed: Iterable[int]) -> dict[int, tuple[int, Inputs]]:
        """The rows as they are kept, and the recent ones that they are folded into."""
        kept: dict[int, tuple[int, Inputs]] = {}
        todo = list(needed)
        while todo:
            row = todo.pop()
            if row in kept or row < self._rows.start:
                continue
            word, inputs = self._rows.get(row)
            if not word & (TRACKED_OUT | SOURCE):
                folded = self._folded(inputs)
                todo += folded
                inputs = self._leaves(row) + tuple(remnant << 1 for remnant in folded)
            kept[row] = word, inputs
        return kept

    def _past_of(self, row: int) -> tuple[int, ...]:
        word, inputs = self._rows.get(row)
        if word & (TRACKED_OUT | SOURCE | FACTORY) or cut_of(word):
            return (row,)
        return self._folded(inputs)

    def _folded(self, inputs: Inputs) -> tuple[int, ...]:
        merged: dict[tuple[int, Inputs, int], int] = {}
        for value in inputs:
            before = value >> 1
            if value & 1:
                continue
            past = self._past.get(before)
            if past is None:  # an elder is folded already
                word, remnants = self._rows.get(before)
                terminal = word & (TRACKED_OUT | SOURCE | FACTORY) or cut_of(word)
                past = (before,) if terminal else tuple(one >> 1 for one in remnants)
            for remnant in past:
                word = self._rows.get(remnant)[0]
                key = (word, self._leaves(remnant) if cut_of(word) else (), remnant if remnant in self._alive else 0)
                merged[key] = max(remnant, merged.get(key, 0))
        folded = sorted(set(merged.values()))
        if len(folded) > Rows.MOST_REMNANTS:
            cuts_last = sorted(folded, key=lambda row: (cut_of(self._rows.get(row)[0]) > 0, row))
            folded = [0, *sorted(cuts_last[-Rows.MOST_REMNANTS :])]
        return tuple(folded)

    def _leaves(self, row: int) -> Inputs:
        """What a cut has severed."""
        known = self._behind.get(row)
        if known is None:
            inputs = self._rows.get(row)[1]
            known = self._behind[row] = self._rows.leaves((v >> 1 for v in inputs if v & 1), self._alive)
        return known
