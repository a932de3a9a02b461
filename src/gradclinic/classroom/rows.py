"""A row per learner and exercise, and the file that they are written to as they come."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """What came out for one attempt. An attempt that could not be graded at all has no checks and has not passed.

    key: what the row depends on, as a digest; a later run with the same key need not grade again.
    location: `line` and `source` of the learner's file. root: the cause behind a cause that is only a symptom.
    """

    learner: str
    exercise: str
    key: str
    path: str
    passed: bool
    cause: str | None
    root: str | None = None
    location: dict[str, Any] | None = None
    checks: tuple[dict[str, Any], ...] = ()
    isolation: str = ""
    seconds: float = 0.0
    late: bool = False
    attempt: int = 1
    attempts: int = 1
    points: float = 0.0
    feedback: tuple[str, ...] = field(default=(), repr=False)  # the verdict in words

    @property
    def timed_out(self) -> bool:
        return any(check.get("cause") == "timeout" for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"checks": list(self.checks), "feedback": list(self.feedback)}

    @classmethod
    def of(cls, told: dict[str, Any]) -> Row:
        row = cls(**{name: told[name] for name in cls.__dataclass_fields__ if name in told})
        return replace(row, checks=tuple(row.checks), feedback=tuple(row.feedback))


class Journal:
    """`results.jsonl`: each row is on disk before the next one is asked for; a half-written line is dropped."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.rows = {row.key: row for row in _read(file)}
        _write(file, self.rows.values())  # without the line that a kill cut off
        self._stream = open(file, "a", encoding="utf-8")  # noqa: SIM115 - open to the end of the run

    def add(self, row: Row) -> None:
        self.rows[row.key] = row
        self._stream.write(_line(row))
        self._stream.flush()

    def finish(self, keys: list[str]) -> list[Row]:
        """Writes the file anew with the rows of these keys, in this order, and no other."""
        self._stream.close()
        rows = [self.rows[key] for key in keys if key in self.rows]
        _write(self._file, rows)
        return rows

    def close(self) -> None:
        self._stream.close()


def _read(file: Path) -> Iterator[Row]:
    if not file.exists():
        return
    with open(file, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            with contextlib.suppress(ValueError, TypeError):
                yield Row.of(json.loads(line))


def _write(file: Path, rows: Any) -> None:
    """All at once: whoever reads it, or is killed meanwhile, meets the old file or the new one."""
    new = file.with_name(file.name + ".new")
    with open(new, "w", encoding="utf-8") as stream:
        stream.writelines(map(_line, rows))
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(new, file)


def _line(row: Row) -> str:
    return json.dumps(row.as_dict(), ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n"
