"""Canvas's gradebook: a column per assignment, and below the header rows that describe the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gradclinic.classroom.gradebook import Target, choose, put
from gradclinic.classroom.joining import join
from gradclinic.classroom.results import Results
from gradclinic.classroom.sheet import Sheet

_IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
_LOGIN = "SIS Login ID"  # an address at many schools
_ASSIGNMENT = re.compile(r".+ \(\d+\)")  # the title and Canvas's number; other columns are custom or computed
_KEPT = ("EX", "N/A")  # excused, and not assigned to this learner


def recognises(header: Sequence[str]) -> bool:
    """Whether Canvas's importer would take this for a header."""
    named = header[:1] == ["Student"] or header[:2] == ["LastName", "FirstName"]
    return named and "ID" in header[1:3] and "Section" in header


def fill_in(sheet: Sheet, results: Results, titles: Mapping[str, str]) -> list[str]:
    """Puts grades into the columns of assignments, scaled to their "Points Possible", and tells what was done.

    A column is for the exercise whose id or title it holds; where none is, the one called "Gradient Clinic", or the
    only one, gets the total. Columns that are read only, excused learners and those an assignment is not for are left.
    """
    header = sheet.row(0)
    rows = [row for row in range(1, len(sheet)) if len(sheet.row(row)) == len(header)]
    possible = next((row for row in rows if "Points Possible" in sheet.row(row)[0]), None)
    rows = [row for row in rows if row != possible and any(sheet.row(row)[: header.index("Section") + 1])]
    most = sheet.row(possible) if possible is not None else [""] * len(header)
    ids = [header.index(title) for title in _IDS if title in header]
    joined = join(results, sheet, rows, ids, header.index(_LOGIN) if _LOGIN in header else None)
    assignments = {
        column: re.sub(r" \(\d+\)$", "", title)
        for column, title in enumerate(header)
        if column > header.index("Section") and _ASSIGNMENT.fullmatch(title) and "read only" not in most[column]
    }
    chosen, notes = choose(assignments, results, titles)
    for column, exercises in chosen.items():

        def closed(row: int, column: int = column) -> bool:
            return sheet.row(row)[column].upper() in _KEPT

        notes.append(put(sheet, results, joined, Target(column, exercises, most[column]), closed))
    return [*notes, *joined.notes]
