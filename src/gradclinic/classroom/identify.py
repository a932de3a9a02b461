"""Which exercises a file answers: told by its first lines, by a name, or by the functions that it defines."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from gradclinic.course import Course
from gradclinic.grading.answers import named_in

# What file managers, browsers and platforms add to the name of a copy: " (1)", " - Copy", "-2", and Canvas a UUID.
# A run of blanks is looked at from its beginning only, for the time a hostile name takes.
_COPY = re.compile(
    r"(?:(?<!\s)\s*\(\d{1,3}\)|(?<![\s_-])[\s_-]+(?:\d{1,3}|copy)|[-_][0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
    re.IGNORECASE,
)
# A line of text is looked at, no syntax tree is made: hostile text can exhaust the parser, and a file with a
# syntax error says as well what it is about.
_FUNCTION = re.compile(rb"^(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


@dataclass(frozen=True)
class Exercises:
    """The exercises of a course by what learners' files may say of them; each is named by its id."""

    slugs: dict[str, re.Pattern[str]]  # by exercise; each finds its slug in a name
    functions: dict[str, frozenset[str]]  # those that this exercise alone defines
    starters: dict[str, bytes]

    def answered(self, text: bytes, names: Iterable[str]) -> tuple[str, ...]:
        """The exercises of a file: one by its first lines or the first of the names that tells, else by functions.

        By functions a file may answer several exercises: a notebook for the whole course.
        """
        for name in (*named_in(text), *names):
            if exercise := self.called(name):
                return (exercise,)
        return self._defining({found.decode() for found in _FUNCTION.findall(text)})

    def called(self, name: str) -> str:
        """The exercise of a name without its ending, or nothing: its id, or anything with its slug."""
        stem = name
        for _ in range(3):  # a copy of a copy
            plain = re.sub(r"[\s-]+", "_", stem.strip()).casefold()
            if plain in self.functions:
                return plain
            stem = _COPY.sub("", stem)
        return self.split(name)[1]

    def split(self, name: str) -> tuple[str, str]:
        """What stands before the slug in a name, and the exercise; the whole name and nothing where there is none."""
        found = {exercise: match for exercise, slug in self.slugs.items() if (match := slug.search(name))}
        if len(found) != 1:
            return name, ""
        exercise, match = found.popitem()
        return name[: match.start()].rstrip(" _-."), exercise

    def _defining(self, functions: set[str]) -> tuple[str, ...]:
        whole = [name for name, own in self.functions.items() if own and own <= functions]
        part = [name for name, own in self.functions.items() if own & functions]
        return tuple(whole or (part if len(part) == 1 else ()))


@lru_cache(maxsize=8)
def exercises_of(course: Course) -> Exercises:
    """Read once for each course; its files may be unfinished."""
    starters, defined = {}, {}
    for lesson in course.lessons:
        text = lesson.exercise_file.read_bytes() if lesson.exercise_file.is_file() else b""
        starters[lesson.id] = text
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError):
            body = []
        defined[lesson.id] = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    times = Counter(name for names in defined.values() for name in names)
    return Exercises(
        slugs={lesson.id: _finding(lesson.slug) for lesson in course.lessons},
        functions={
            exercise: frozenset(name for name in names if times[name] == 1) for exercise, names in defined.items()
        },
        starters=starters,
    )


def _finding(slug: str) -> re.Pattern[str]:
    words = slug.replace("_", r"[\s_-]")
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])", re.IGNORECASE)
