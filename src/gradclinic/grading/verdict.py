"""What a grading says: a row per check, a verdict per answer and exercise."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from gradclinic.grading.answers import Answer


@dataclass(frozen=True)
class Location:
    """A line of the learner's file; columns count characters from 1, and are None when not known."""

    file: Path
    line: int
    source: str
    column: int | None = None
    end_column: int | None = None


@dataclass(frozen=True)
class CheckRow:
    """One check's outcome: `passed`, `failed`, `not_reached`, or `broken` when the check itself is wrong.

    `root` is the cause behind a cause that is only a symptom, such as the cut behind a loss without history.
    """

    name: str
    state: str
    cause: str | None = None
    root: str | None = None
    message: str = ""
    location: Location | None = None
    got: str = ""
    expected: str = ""
    function: str = ""
    warnings: tuple[str, ...] = ()
    prints: str = ""
    remarks: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> Self:
        """The row that `as_dict` told; what was added to it is passed over."""
        known = {name: told[name] for name in (field.name for field in fields(cls)) if name in told}
        for name in ("warnings", "remarks"):
            known[name] = tuple(known[name])
        if (where := known["location"]) is not None:
            known["location"] = Location(**where | {"file": Path(where["file"])})
        return cls(**known)

    @property
    def passed(self) -> bool:
        return self.state == "passed"

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self) | {"passed": self.passed, "location": location_dict(self.location)}
        return told | {"warnings": list(self.warnings), "remarks": list(self.remarks)}


@dataclass(frozen=True)
class Verdict:
    """All checks of one exercise on one answer. An answer without any check has not passed."""

    answer: Answer
    checks: tuple[CheckRow, ...]
    isolation: str
    seconds: float
    seed: int

    @property
    def passed(self) -> bool:
        return bool(self.checks) and all(row.passed for row in self.checks)

    @property
    def first_failure(self) -> CheckRow | None:
        return next((row for row in self.checks if not row.passed), None)

    @property
    def cause(self) -> str | None:
        return self.first_failure.cause if self.first_failure else None

    @property
    def location(self) -> Location | None:
        return self.first_failure.location if self.first_failure else None

    def row(self) -> dict[str, Any]:
        """The row of `gradclinic check --json`."""
        return {
            "exercise": self.answer.lesson.id,
            "answer": self.answer.label,
            "file": str(self.answer.file),
            "passed": self.passed,
            "cause": self.cause,
            "root": self.first_failure.root if self.first_failure else None,
            "location": location_dict(self.location),
            "checks": [row.as_dict() for row in self.checks],
            "isolation": self.isolation,
            "seconds": round(self.seconds, 4),
            "seed": self.seed,
        }


def location_dict(location: Location | None) -> dict[str, Any] | None:
    return None if location is None else asdict(location) | {"file": str(location.file)}
