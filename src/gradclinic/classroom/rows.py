"""A row per graded answer, as `results.jsonl` holds it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


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


def read_rows(file: Path) -> Iterator[Row]:
    """The rows of a file; a last line that was cut off when the writer was killed is left out."""
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").split("\n"):
        try:
            told = json.loads(line)
            yield Row(**told)
        except (ValueError, TypeError):
            continue
