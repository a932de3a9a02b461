"""Which exercises a file answers: its first line, its name or its folder's, or the functions that it defines."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from gradclinic.course import Course, Lesson

_FIRST_LINE = re.compile(r"#\s*exercise:\s*([\w-]+)")
_DEFINED = re.compile(r"^(?:async\s+)?def\s+(\w+)", re.MULTILINE)  # for a file that does not parse
_EARLY = 4_000  # characters in which the line must come


def exercises_of(course: Course, path: PurePosixPath, source: str) -> list[Lesson]:
    """One where a line or a name tells; else all whose functions it defines, as a notebook of many exercises does."""
    lines = [match.group(1) for match in _FIRST_LINE.finditer(source[:_EARLY])]
    stem = _plain(path.stem)
    for name in [*lines, stem, *(part.lower() for part in reversed(path.parts[:-1]))]:
        for lesson in course.lessons:
            if name in (lesson.slug, lesson.id):
                return [lesson]
    inside = [lesson for lesson in course.lessons if re.search(rf"(^|[\W_]){re.escape(lesson.id)}($|[\W_])", stem)]
    return inside if len(inside) == 1 else _by_functions(course, source)


def _plain(stem: str) -> str:
    """Without what browsers and platforms add to a second download: ` (1)`, `-2`, ` copy`."""
    return re.sub(r"(\s*\(\d+\)|-\d+|[\s_-]+copy(\s*\d+)?)$", "", stem, flags=re.IGNORECASE).lower()


def _by_functions(course: Course, source: str) -> list[Lesson]:
    known = _owners(course)
    owners = {known[name] for name in _functions(source) if name in known}
    return [lesson for lesson in course.lessons if lesson in owners]


def _functions(source: str) -> set[str]:
    try:
        body: Iterable[ast.stmt] = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(_DEFINED.findall(source))
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


@functools.cache
def _owners(course: Course) -> dict[str, Lesson]:
    return {
        name: lesson
        for lesson in course.lessons
        for name in _functions(lesson.exercise_file.read_text(encoding="utf-8"))
        if not name.startswith("_")
    }
