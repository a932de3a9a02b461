"""`feedback/ID.md`: for each learner what passed, what was wrong and where, why, and the next step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from gradclinic.causes import CAUSES
from gradclinic.classroom.plain import count, number, one_line
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row
from gradclinic.grading.feedback import told
from gradclinic.grading.verdict import CheckRow


def feedback(results: Results, learner: Learner) -> str:
    """The page of one learner, as Markdown. It holds nothing of others, and no seed.

    What learners wrote stands only in code blocks and spans that their text cannot close, so no Markdown or HTML in it
    does anything.
    """
    rows = results.of_learner(learner.id)
    problems = results.refused(learner.id)
    right, total = sum(row.passed for row in rows), count(len(results.exercises), "exercise")
    points = f"{number(results.points(learner.id))} of {number(results.most)} points"
    parts = [f"# Feedback for {span(learner.name or learner.id)}", f"{points}; {right} of {total} right."]
    for exercise in results.exercises:
        row = results.of(learner.id, exercise)
        parts += _exercise(row) if row else _missing(results, learner, exercise)
    if problems:
        parts += ["## What could not be graded", block(f"{one.origin}: {one.message}" for one in problems)]
    return "\n\n".join(parts) + "\n"


def _missing(results: Results, learner: Learner, exercise: str) -> Iterator[str]:
    tried = results.tried(learner.id, exercise)
    yield f"## {exercise}: {'no answer that could be graded' if tried else 'nothing was handed in'}"
    yield f"0 of {number(results.possible[exercise])} points."


def _exercise(row: Row) -> Iterator[str]:
    right = sum(check["passed"] for check in row.checks)
    yield f"## {row.exercise}: {right} of {len(row.checks)} checks pass"
    late = " It was handed in late." if row.late else ""
    yield f"{number(row.points)} of {number(row.possible)} points.{late}"
    if lines := words(row):
        yield block(lines)
    yield from explanations(row.checks)


def words(row: Row, checks: Iterable[dict[str, Any]] | None = None) -> list[str]:
    """What `gradclinic check` says of the row's checks, or of some of them, in lines."""
    file = PurePosixPath(row.origin).name or "exercise.py"
    placed = tuple(CheckRow.from_dict(_with_file(check, file)) for check in (row.checks if checks is None else checks))
    return [line.text for line in told(placed, row.exercise)]


def _with_file(check: dict[str, Any], file: str) -> dict[str, Any]:
    return check | {"location": check["location"] and check["location"] | {"file": file}}


def explanations(checks: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A paragraph of the catalogue on each cause that these checks met, in the course's own Markdown."""
    named = [name for check in checks if not check["passed"] for name in (check["cause"], check["root"])]
    for name in dict.fromkeys(named):
        if (cause := CAUSES.get(name or "")) is not None:
            yield f"**{cause.title}.** {cause.explanation} {cause.fix}"


def block(lines: Iterable[str]) -> str:
    """A code block with a fence that is longer than any that the lines hold."""
    text = "\n".join(one_line(line).rstrip() for line in lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def span(text: str) -> str:
    """A code span that the text cannot close."""
    line = one_line(text).strip()
    fence = "`" * (_longest_run(line) + 1)
    return f"{fence} {line} {fence}" if line else "a learner without a name"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
