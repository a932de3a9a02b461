"""A row per graded answer, as `results.jsonl` holds it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gradclinic.files import write_whole


@dataclass(frozen=True)
class Row:
    """One learner's answer to one exercise, graded.

    `checks` are the rows of the verdict (`CheckRow.as_dict()`, each with its `points` and `possible`); `points` of
    `possible`; `cause` and `root` are ids of the catalogue, those of the first check that failed; `location` is the
    learner's line or None; `isolation` says how the code was confined; `seconds` is wall time; `key` names all
    that the row depends on, so that an equal key needs no second grading. Of several attempts one `counts`.
    """

    learner: str
    exercise: str
    passed: bool
    points: float
    possible: float
    cause: str | None
    root: str | None
    checks: list[dict[str, Any]]
    isolation: str
    seconds: float
    key: str
    origin: str
    location: dict[str, Any] | None = None
    attempt: int = 1
    submitted: str = ""
    late: bool = False
    counts: bool = True

    @property
    def order(self) -> tuple[str, str, int, str]:
        """Sorts rows the same, however the work was spread and interrupted."""
        return self.learner, self.exercise, self.attempt, self.origin

    @property
    def first_failure(self) -> dict[str, Any] | None:
        return next((check for check in self.checks if not check["passed"]), None)

    def line(self) -> str:
        """The row as one line of JSON, in ASCII."""
        return json.dumps(asdict(self), allow_nan=False)


class Journal:
    """`results.jsonl`: a line is added as soon as a row is known, so that a killed run loses only what was running."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> dict[str, Row]:
        """The rows by their keys. A line that is no row, such as a last one that was cut off, is passed over."""
        found = {}
        for line in self.file.read_bytes().split(b"\n") if self.file.exists() else ():
            with contextlib.suppress(ValueError, TypeError):
                row = Row(**json.loads(line))
                found[row.key] = row
        return found

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[Row], None]]:
        """A function that adds a row, on disk when it returns."""
        with self.file.open("ab", buffering=0) as lines:
            if lines.tell() and not self._ends_a_line():
                lines.write(b"\n")

            def add(row: Row) -> None:
                lines.write(row.line().encode() + b"\n")

            yield add

    def _ends_a_line(self) -> bool:
        with self.file.open("rb") as lines:
            lines.seek(-1, os.SEEK_END)
            return lines.read() == b"\n"

    def rewrite(self, rows: Iterable[Row]) -> None:
        """Replaces all lines by these, in one step."""
        write_whole(self.file, "".join(row.line() + "\n" for row in sorted(rows, key=lambda row: row.order)))


def counting(rows: Iterable[Row], attempts: str) -> list[Row]:
    """The same rows; of each learner and exercise the one that counts is marked: the `last`, or the `best`."""
    by_answer: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.order):
        by_answer.setdefault((row.learner, row.exercise), []).append(row)
    told = []
    for tried in by_answer.values():
        counts = max(tried, key=lambda row: (row.points if attempts == "best" else 0.0, row.attempt))
        told += [replace(row, counts=row is counts) for row in tried]
    return told
