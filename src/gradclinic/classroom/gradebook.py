"""A gradebook that an instructor exported, filled in: only grades of learners who handed in are put into it.

Which platform it comes from is told by its header; what the platforms do not have in common is in `moodle.py` and
`canvas.py`. All other cells stay byte for byte, those that begin like a formula too: they are the platform's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, InvalidOperation
from pathlib import Path
from types import ModuleType

from gradclinic.classroom.joining import Joined, listed
from gradclinic.classroom.plain import count, number
from gradclinic.classroom.results import Results
from gradclinic.classroom.sheet import Sheet, read_sheet
from gradclinic.course import CourseError

_OURS = re.compile(r"\b(gradient clinic|gradclinic)\b")
_CENT = Decimal("0.01")  # both platforms keep two decimals


@dataclass(frozen=True)
class Target:
    """A column of grades: the exercises that it is for, and its highest grade as the sheet writes it, if it does."""

    column: int
    exercises: tuple[str, ...]
    most: str


def recognised(file: Path) -> tuple[Sheet, ModuleType]:
    """The sheet, and the module of the platform that exported it. Raises CourseError if neither did."""
    from gradclinic.classroom import canvas, moodle

    sheet = read_sheet(file)
    for platform in (moodle, canvas):
        if len(sheet) and platform.recognises(sheet.row(0)):
            return sheet, platform
    raise CourseError(
        f"{file}: the first line is neither that of Moodle's grading worksheet or gradebook, nor that of Canvas's\n"
        "gradebook. Export it as CSV, with the platform's language set to English, and hand it in as it is."
    )


def filled(file: Path, results: Results, titles: Mapping[str, str]) -> tuple[bytes, list[str]]:
    """The file with the grades in it, and sentences on what was done and what was not.

    `titles` are those of the exercises, by id. Raises CourseError as `recognised` does.
    """
    sheet, platform = recognised(file)
    notes: list[str] = platform.fill_in(sheet, results, titles)
    return sheet.as_bytes(), notes


def put(
    sheet: Sheet, results: Results, joined: Joined, target: Target, closed: Callable[[int], bool] = lambda row: False
) -> str:
    """Fills one column, but no cell of a `closed` row; returns what was done, in words.

    Where nothing was handed in the cell stays as it is: whether that is a zero is for the instructor to say.
    """
    possible = sum(results.possible[exercise] for exercise in target.exercises)
    whole = decimal(target.most)
    done = replaced = without = left = 0
    for row, learner in joined.learners.items():
        answers = [answer for one in target.exercises if (answer := results.of(learner.id, one)) is not None]
        if not answers or (whole is not None and not possible):
            without += 1
        elif closed(row):
            left += 1
        else:
            points = sum(answer.points for answer in answers)
            before = decimal(sheet.row(row)[target.column])
            after = _put(sheet, row, target, points if whole is None else _scaled(points, possible, whole))
            done += 1
            replaced += before is not None and before != after
    what = target.exercises[0] if len(target.exercises) == 1 else f"the total of {len(target.exercises)} exercises"
    scale = f"points of {number(possible)}" if whole is None else f"scaled to {target.most}"
    said = [f'{count(done, "grade")} put into "{sheet.row(0)[target.column]}" ({what}, {scale})']
    said += [f"{count(replaced, 'grade')} that stood there replaced"] if replaced else []
    said += [f"{count(without, 'cell')} left as nothing was handed in"] if without else []
    said += [f"{count(left, 'cell')} left that may not be changed"] if left else []
    return "; ".join(said)


def _scaled(points: float, possible: float, whole: Decimal) -> Decimal:
    return Decimal(str(points)) / Decimal(str(possible)) * whole


def _put(sheet: Sheet, row: int, target: Target, grade: Decimal | float) -> Decimal:
    """Rounds to two decimals, never above the most, which Moodle would pass over; the decimal sign is the sheet's."""
    grade = Decimal(str(grade))
    rounded = grade.quantize(_CENT, ROUND_HALF_UP)
    whole = decimal(target.most)
    if whole is not None and rounded > whole:
        rounded = whole.quantize(_CENT, ROUND_DOWN)
    text = f"{rounded:f}"
    comma = target.most.rfind(",") > target.most.rfind(".")
    sheet.set(row, target.column, text.replace(".", ",") if comma else text)
    return rounded


def decimal(text: str) -> Decimal | None:
    """A number as spreadsheets write it: of points and commas the last is the decimal sign."""
    sign = max(text.rfind("."), text.rfind(","))
    plain = f"{re.sub('[.,]', '', text[:sign])}.{text[sign + 1 :]}" if sign >= 0 else text
    try:
        value = Decimal(plain.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and value >= 0 else None


def choose(
    columns: Mapping[int, str], results: Results, titles: Mapping[str, str]
) -> tuple[dict[int, tuple[str, ...]], list[str]]:
    """Which exercises each column of grades is for, and in words what could not be told.

    A column is for the exercise that its title names. Where none does, one column gets the total: the one called
    "Gradient Clinic", or the only one.
    """
    named = {column: exercise for column, title in columns.items() if (exercise := exercise_called(title, titles))}
    several = {exercise for exercise, times in Counter(named.values()).items() if times > 1}
    notes = [f"several columns are called like {one}, so none of them was filled" for one in sorted(several)]
    if named:
        chosen: dict[int, tuple[str, ...]] = {
            column: (exercise,) for column, exercise in named.items() if exercise not in several
        }
        left = [exercise for exercise in results.exercises if exercise not in named.values()]
        return chosen, notes + ([f"no column for {listed(left)}"] if left else [])
    total = [column for column, title in columns.items() if _OURS.search(_words(title))]
    for found in (total, list(columns)):
        if len(found) == 1:
            return {found[0]: results.exercises}, []
    there = f"there are {len(columns)}" if columns else "there is none"
    return {}, [f"nothing was filled: no column of grades is called like an exercise or Gradient Clinic, and {there}"]


def exercise_called(title: str, titles: Mapping[str, str]) -> str | None:
    """The exercise whose id or title stands in a title of the platform's; of several the longest, None in a tie."""
    wanted = f" {_words(title)} "
    found = {
        exercise: len(phrase)
        for exercise, name in titles.items()
        for phrase in sorted((_words(exercise), _words(name)), key=len)
        if phrase and f" {phrase} " in wanted
    }
    longest = [exercise for exercise, length in found.items() if length == max(found.values())]
    return longest[0] if len(longest) == 1 else None


def _words(title: str) -> str:
    return " ".join(re.split(r"[\W_]+", title.casefold())).strip()
