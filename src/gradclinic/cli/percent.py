"""A lesson file as cells, read without jupytext: a learner's environment does not have it."""

from __future__ import annotations

import json
import re

from gradclinic.course import CourseError, Lesson, read_header
from gradclinic.publishing.reading import Cell

_TAGS = re.compile(r"\btags=(\[.*?\])")


def read_cells(lesson: Lesson) -> tuple[Cell, ...]:
    """The cells below the header. Raises CourseError for a header or tags that cannot be read."""
    read_header(lesson.lesson_file)
    lines = lesson.lesson_file.read_text(encoding="utf-8").splitlines()
    below = lines.index("# ---", 1) + 1
    starts = [at for at in range(below, len(lines)) if lines[at].startswith("# %%")]
    return tuple(
        _cell(lesson, lines[start:end], start + 1) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    )


def _cell(lesson: Lesson, lines: list[str], marker: int) -> Cell:
    kind = "markdown" if "[markdown]" in lines[0] else "code"
    found = _TAGS.search(lines[0])
    try:
        tags = tuple(json.loads(found[1])) if found else ()
    except ValueError:
        raise CourseError(f'{lesson.lesson_file}:{marker}: write the tags as tags=["one", "two"].') from None
    body = [re.sub(r"^# ?", "", line) for line in lines[1:]] if kind == "markdown" else lines[1:]
    first = next((at for at, line in enumerate(lines[1:], 1) if line.strip()), 0)
    return Cell(kind, "\n".join(body).strip("\n"), tags, marker + first)
