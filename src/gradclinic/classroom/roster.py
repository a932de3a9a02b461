"""The list of a class: who should have handed in."""

from __future__ import annotations

import re
from pathlib import Path

from gradclinic.classroom.results import Learner
from gradclinic.classroom.sheet import read_sheet
from gradclinic.course import CourseError

# In the order in which they are believed. Folders and files that Moodle and Canvas hand out carry the numbers of
# `Identifier` and `ID`.
_IDS = (
    "identifier", "id", "learner id", "student id", "user id", "studentid", "userid", "canvas id", "participant",
    "login", "login id", "sis login id", "username", "user name", "user", "netid",
    "sis user id", "sis id", "id number", "student number", "number", "matriculation number", "matrikelnummer",
)  # fmt: skip
_PERSONS = ("learner", "student", "participant name")  # a name beside an id, else the id itself
_NAMES = ("full name", "name", "student name", "fullname", "display name", "learner name")
_FIRST, _LAST = ("first name", "firstname", "given name"), ("last name", "lastname", "surname", "family name")
_EMAILS = ("email address", "email", "e mail", "mail", "student email", "emailaddress", "e mail address")
_NO_LEARNER = re.compile(r"(?i)\s*points possible\s*")  # the row that Canvas puts under its header
_MOODLE_NUMBER = re.compile(r"(?i)participant\s+(\d+)")


def read_roster(file: Path) -> list[Learner]:
    """The learners of a CSV file with a header, or of a file with one id per line, in its order.

    Any usual wording, delimiter and encoding; the sheets that Moodle and Canvas export are understood too. Empty
    lines are passed over. Raises CourseError, with the line, where a learner has no id or stands twice.
    """
    sheet = read_sheet(file)
    filled = [number for number in range(len(sheet)) if any(sheet.row(number))]
    if not filled:
        raise CourseError(f"{file}: this list of learners is empty.")
    columns = _Columns(sheet.row(filled[0]))
    if columns.known:
        filled = filled[1:]
    elif any(len(sheet.row(number)) > 1 for number in filled):
        raise CourseError(f"{file}:1: the first line should name the columns, for example: id,name,email")
    if columns.known and not (columns.ids or columns.email is not None):
        raise CourseError(f"{file}:1: no column holds the learners' ids. Name one of the columns `id`.")
    learners: dict[str, int] = {}
    found = []
    for number in filled:
        cells = sheet.row(number)
        if columns.known and _is_no_learner(cells):
            continue
        learner = columns.learner(cells) if columns.known else Learner(cells[0])
        if not learner.id:
            raise CourseError(f"{file}:{sheet.line(number)}: this line has no id of a learner. Add one, or remove it.")
        if learner.id in learners:
            lines = f"lines {sheet.line(learners[learner.id])} and {sheet.line(number)}"
            raise CourseError(f'{file}: "{learner.id}" stands in {lines}. Remove one of them.')
        learners[learner.id] = number
        found.append(learner)
    return found


def words(header: str) -> str:
    """A column's title in small letters, with single blanks for what lies between the words."""
    return " ".join(re.split(r"[\W_]+", header.strip().lower())).strip()


class _Columns:
    """Which columns of a header tell what; none is known if the first line is no header."""

    def __init__(self, header: list[str]) -> None:
        titles = [words(title) for title in header]
        self.ids = [titles.index(title) for title in _IDS if title in titles]
        self.name = _place(titles, _NAMES)
        person = _place(titles, _PERSONS)
        if person is not None and not self.ids:
            self.ids = [person]
        elif person is not None and self.name is None:
            self.name = person
        self.first, self.last = _place(titles, _FIRST), _place(titles, _LAST)
        self.email = _place(titles, _EMAILS)
        self.known = bool(self.ids) or (self.name, self.first, self.last, self.email) != (None, None, None, None)

    def learner(self, cells: list[str]) -> Learner:
        """The first id that the row has, else the email address."""
        email = _cell(cells, self.email)
        identity = next((cell for place in self.ids if (cell := _cell(cells, place))), email)
        number = _MOODLE_NUMBER.fullmatch(identity)
        name = _cell(cells, self.name) or f"{_cell(cells, self.first)} {_cell(cells, self.last)}".strip()
        return Learner(number[1] if number else identity, name, email)


def _place(titles: list[str], wanted: tuple[str, ...]) -> int | None:
    return next((titles.index(title) for title in wanted if title in titles), None)


def _cell(cells: list[str], place: int | None) -> str:
    return cells[place] if place is not None and place < len(cells) else ""


def _is_no_learner(cells: list[str]) -> bool:
    """Rows of a Canvas sheet that describe the columns: below `Points Possible` or without any person."""
    return bool(_NO_LEARNER.fullmatch(cells[0])) or not any(cells[:4])
