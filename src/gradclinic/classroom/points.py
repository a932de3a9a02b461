"""What each check is worth."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from gradclinic.classroom.plain import number
from gradclinic.classroom.rows import Row
from gradclinic.course import Course, CourseError, Lesson

_NUMBER = re.compile(r"\d{1,6}(\.\d{1,4})?", re.ASCII)
_FORMS = "Write `--points 2` (each check), `--points EXERCISE=2` (each of its checks) or `--points EXERCISE.CHECK=2`."


@dataclass(frozen=True)
class Points:
    """Points by check, by exercise, or for all: what is named more closely holds. Without a word each check is 1."""

    each: float = 1.0
    by_exercise: dict[str, float] = field(default_factory=dict)
    by_check: dict[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def parse(cls, words: Iterable[str], course: Course) -> Points:
        """The words after `--points`. Raises CourseError for what is no number, not known, or said twice."""
        each: float | None = None
        by_exercise: dict[str, float] = {}
        by_check: dict[tuple[str, str], float] = {}
        for word in words:
            target, equals, amount = word.strip().rpartition("=")
            value = _value(amount, word)
            if not equals:
                _refuse_second(each is not None, word)
                each = value
                continue
            exercise, dot, check = target.partition(".")
            lesson = course.find(exercise)
            if not dot:
                _refuse_second(lesson.id in by_exercise, word)
                by_exercise[lesson.id] = value
            else:
                key = lesson.id, _check(check, lesson)
                _refuse_second(key in by_check, word)
                by_check[key] = value
        return cls(1.0 if each is None else each, by_exercise, by_check)

    def of(self, exercise: str, check: str) -> float:
        """The points of one check, by the id of its exercise and its full name."""
        return self.by_check.get((exercise, check), self.by_exercise.get(exercise, self.each))

    def possible(self, lesson: Lesson) -> float:
        """The points of all checks of an exercise together."""
        return sum(self.of(lesson.id, check) for check in check_names(lesson))

    def valued(self, row: Row) -> Row:
        """The row with the points that its checks earned."""
        checks = []
        for check in row.checks:
            possible = self.of(row.exercise, check["name"])
            checks.append({**check, "points": possible if check["passed"] else 0.0, "possible": possible})
        points, possible = (sum(check[name] for check in checks) for name in ("points", "possible"))
        return replace(row, checks=checks, points=points, possible=possible)

    @property
    def text(self) -> str:
        """Words for `parse`, the same for the same points in whatever order they were given."""
        exercises = [f"{exercise}={number(value)}" for exercise, value in sorted(self.by_exercise.items())]
        checks = [f"{exercise}.{check}={number(value)}" for (exercise, check), value in sorted(self.by_check.items())]
        return " ".join([f"{number(self.each)}", *exercises, *checks])


def check_names(lesson: Lesson) -> tuple[str, ...]:
    """The checks of an exercise, in the order of its check file, which is read and not run. Raises CourseError."""
    try:
        tree = ast.parse(lesson.check_file.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        raise CourseError(f"{lesson.check_file}: this check file cannot be read: {error}.") from None
    functions = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return tuple(dict.fromkeys(name for name in functions if name.startswith("test_")))


def _value(text: str, word: str) -> float:
    if not _NUMBER.fullmatch(text.strip()):
        wanted = "no number from 0 to 999999, such as 2 or 0.5 (four decimals at most)"
        raise CourseError(f'--points "{word}": "{text.strip()}" is {wanted}. {_FORMS}')
    return float(text)


def _check(name: str, lesson: Lesson) -> str:
    known = check_names(lesson)
    wanted = name.strip()
    for candidate in (wanted, f"test_{wanted}"):
        if candidate in known:
            return candidate
    raise CourseError(f'--points: {lesson.id} has no check "{wanted}". It has {", ".join(known) or "none"}.')


def _refuse_second(said: bool, word: str) -> None:
    if said:
        raise CourseError(f'--points "{word}": the points of this were given before. Keep one of the two.')
