"""Moodle's two sheets: the offline grading worksheet of one assignment, and the export of the whole gradebook."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gradclinic.classroom.gradebook import Target, choose, exercise_called, put
from gradclinic.classroom.joining import Joined, join
from gradclinic.classroom.results import Results
from gradclinic.classroom.sheet import Sheet

_IDS = ("Identifier", "ID number", "Username")
_EMAIL = "Email address"
_CHANGEABLE = "Grade can be changed"
_REAL = re.compile(r"[^:]+: .+")  # the kind of activity and its name
_OTHER = re.compile(r".*\((Percentage|Letter|Feedback)\)")


def recognises(header: Sequence[str]) -> bool:
    """Whether these are the English titles of one of the two sheets."""
    return _is_worksheet(header) or (
        _EMAIL in header and (any(_is_real(title) for title in header) or "Last downloaded from this course" in header)
    )


def _is_worksheet(header: Sequence[str]) -> bool:
    return "Identifier" in header and "Grade" in header


def _is_real(title: str) -> bool:
    return bool(_REAL.fullmatch(title)) and not _OTHER.fullmatch(title)


def fill_in(sheet: Sheet, results: Results, titles: Mapping[str, str]) -> list[str]:
    """Puts grades into the sheet and tells what was done.

    The worksheet has one column of grades: it gets the exercise that the file's name holds, else the total, scaled to
    "Maximum Grade"; cells whose grade cannot be changed are left. The gradebook has a column per activity: each gets
    the exercise whose id or title it holds, or the only one gets the total; it tells no maximum, so the points
    themselves are put in.
    """
    header = sheet.row(0)
    rows = [row for row in range(1, len(sheet)) if len(sheet.row(row)) == len(header)]
    ids = [header.index(title) for title in _IDS if title in header]
    joined = join(results, sheet, rows, ids, header.index(_EMAIL) if _EMAIL in header else None)
    if _is_worksheet(header):
        return _worksheet(sheet, results, titles, rows, joined)
    activities = {column: title for column, title in enumerate(header) if _is_real(title)}
    chosen, notes = choose(activities, results, titles)
    for column, exercises in chosen.items():
        notes.append(put(sheet, results, joined, Target(column, exercises, "")))
    return [*notes, *joined.notes]


def _worksheet(
    sheet: Sheet, results: Results, titles: Mapping[str, str], rows: Sequence[int], joined: Joined
) -> list[str]:
    header = sheet.row(0)
    if "Maximum Grade" not in header:
        return ["nothing was filled: the assignment is graded by a scale of words, not by points"]
    most = {sheet.row(row)[header.index("Maximum Grade")] for row in rows}
    if len(most) != 1:
        return ["nothing was filled: the rows differ in their maximum grade"]
    changeable = header.index(_CHANGEABLE) if _CHANGEABLE in header else None
    named = exercise_called(sheet.file.stem, titles)
    target = Target(header.index("Grade"), (named,) if named else results.exercises, most.pop())

    def closed(row: int) -> bool:
        return changeable is not None and sheet.row(row)[changeable] == "No"

    return [put(sheet, results, joined, target, closed), *joined.notes]
