"""Whose row is whose, in a gradebook that an instructor exported."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gradclinic.classroom.plain import count, one_line
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.sheet import Sheet

_TOLD = 5  # names in a sentence


@dataclass(frozen=True)
class Joined:
    """Which learner each row of the sheet is, and in words how that was found and what was not."""

    learners: dict[int, Learner]
    notes: tuple[str, ...]


def join(results: Results, sheet: Sheet, rows: Sequence[int], ids: Sequence[int], email: int | None) -> Joined:
    """Joins rows and learners by one column of ids, the one that fits most learners, and then by the address.

    One column only: the same number may mean two persons in two columns. What would be joined twice is not joined.
    """
    known = {learner.id.casefold(): learner for learner in results.learners}
    texts = {number: sheet.row(number) for number in rows}
    found_by = {column: _by_key(texts, column, known) for column in ids}
    best = max(ids, key=lambda column: len(found_by[column]), default=None)
    found = dict(found_by[best]) if best is not None else {}
    used = [sheet.row(0)[best]] if found and best is not None else []
    if email is not None:
        by_address = _by_key(texts, email, _addresses(results.learners))
        left = {row: learner for row, learner in by_address.items() if row not in found}
        used += [sheet.row(0)[email]] if left else []
        found |= left
    twice = {learner for learner, times in Counter(learner.id for learner in found.values()).items() if times > 1}
    joined = {row: learner for row, learner in found.items() if learner.id not in twice}
    notes = [f"joined by {listed(used, 'and')}"] if used else []
    if twice:
        notes.append(f"fits several rows, so none of them is filled: {listed(sorted(twice))}")
    if left_over := [row for row in rows if row not in joined]:
        who = [" ".join(filter(None, texts[row][:2])) for row in left_over]
        notes.append(f"no learner found for {count(len(left_over), 'row')}: {listed(who)}")
    there = {learner.id for learner in joined.values()} | twice
    if absent := [learner.id for learner in results.learners if learner.id not in there]:
        notes.append(f"no row found for {count(len(absent), 'learner')}: {listed(absent)}")
    return Joined(joined, tuple(notes))


def _by_key(texts: dict[int, list[str]], column: int, known: Mapping[str, Learner]) -> dict[int, Learner]:
    """Rows whose cell names a learner; Moodle writes `Participant 123` for the number 123."""
    found = {}
    for row, cells in texts.items():
        key = re.sub(r"(?i)participant\s*(?=\d+$)", "", cells[column]) if column < len(cells) else ""
        if key and (learner := known.get(key.casefold())) is not None:
            found[row] = learner
    return found


def _addresses(learners: Iterable[Learner]) -> dict[str, Learner]:
    """Learners by address, told by the roster or used as the id; an address of two learners is left out."""
    by_address = defaultdict(list)
    for learner in learners:
        for text in {learner.id.casefold(), learner.email.casefold()}:
            if "@" in text:
                by_address[text].append(learner)
    return {text: owners[0] for text, owners in by_address.items() if len(owners) == 1}


def listed(names: Sequence[str], last: str = "") -> str:
    """The first names of many, for a sentence; `last` is the word between a few."""
    shown = [one_line(name) or "(empty)" for name in names[:_TOLD]]
    if len(names) > _TOLD:
        return f"{', '.join(shown)} and {len(names) - _TOLD} more"
    return f" {last} ".join(shown) if last else ", ".join(shown)
