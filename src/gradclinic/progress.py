"""Where a learner is: `.gradclinic/` in the course folder holds the progress and the backups.

Everything is kept by an exercise's stable id, so that renumbering the lessons loses nothing.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradclinic.course import Course, CourseError, Lesson
from gradclinic.files import regular

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@dataclass
class _Record:
    passed: dict[str, str] = field(default_factory=dict)  # id -> date
    hints: dict[str, int] = field(default_factory=dict)  # id -> how many were shown
    current: str = ""
    others: dict[str, Any] = field(default_factory=dict)  # what another version wrote, kept as it is


@dataclass(frozen=True)
class Progress:
    """Reads the file at each question and writes it at each change, so that two terminals agree."""

    root: Path

    @property
    def file(self) -> Path:
        return self.root / ".gradclinic" / "progress.json"

    def passed(self) -> dict[str, str]:
        """The date of the first pass, by exercise id."""
        return self._read().passed

    def hints_shown(self, lesson: Lesson) -> int:
        return self._read().hints.get(lesson.id, 0)

    def mark_passed(self, lesson: Lesson) -> None:
        with self._changing() as record:
            record.passed.setdefault(lesson.id, datetime.date.today().isoformat())

    def mark_open(self, lesson: Lesson) -> None:
        """The exercise is to be done again."""
        with self._changing() as record:
            record.passed.pop(lesson.id, None)

    def one_more_hint(self, lesson: Lesson) -> int:
        """How many hints may be seen now: one more than last time, and never more than there are."""
        with self._changing() as record:
            record.hints[lesson.id] = min(record.hints.get(lesson.id, 0) + 1, len(lesson.hints))
        return record.hints[lesson.id]

    def stand_at(self, lesson: Lesson) -> None:
        """Makes this the exercise that the learner works on."""
        with self._changing() as record:
            record.current = lesson.id

    def next_lesson(self, course: Course) -> Lesson | None:
        """The exercise to do: the current one, or the first after it that is not passed. None when all are."""
        record = self._read()
        order = list(course.lessons)
        start = next((i for i, lesson in enumerate(order) if lesson.id == record.current), 0)
        return next((lesson for lesson in order[start:] + order[:start] if lesson.id not in record.passed), None)

    def back_up(self, lesson: Lesson) -> Path:
        """Copies the learner's file to `.gradclinic/backups/`, beside older ones. Returns the copy."""
        folder = self.file.parent / "backups"
        folder.mkdir(parents=True, exist_ok=True)
        content = regular(lesson.exercise_file).read_bytes()
        stem = f"{lesson.slug}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
        for again in range(1000):
            copy = folder / (f"{stem}-{again + 1}.py" if again else f"{stem}.py")
            try:
                with copy.open("xb") as file:
                    file.write(content)
            except FileExistsError:
                continue
            return copy
        raise CourseError(f"{folder} is full of backups of this second. Try again.")

    def _read(self) -> _Record:
        try:
            stored = json.loads(regular(self.file).read_text(encoding="utf-8"))
            return _Record(
                {str(key): str(value) for key, value in stored.pop("passed", {}).items()},
                {str(key): max(0, int(value)) for key, value in stored.pop("hints", {}).items()},
                str(stored.pop("current", "")),
                stored,
            )
        except (FileNotFoundError, NotADirectoryError):
            return _Record()
        except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise CourseError(
                f"{self.file} cannot be read: {why}.\n"
                "Repair it, or rename it to start counting anew. Your exercises are not touched by that."
            ) from None

    @contextmanager
    def _changing(self) -> Iterator[_Record]:
        """The record, written back in the end. Raises CourseError when that is not possible."""
        try:
            self.file.parent.mkdir(exist_ok=True)
            with _alone(self.file.with_name("lock")):
                record = self._read()
                yield record
                self._write(record)
        except OSError as error:
            where = error.filename or self.file
            raise CourseError(f"Your progress cannot be saved: {where}: {error.strerror}.") from None

    def _write(self, record: _Record) -> None:
        """Through a second file, so that a full disk or a lost process never leaves half a record."""
        known = {"passed": record.passed, "hints": record.hints, "current": record.current}
        fresh = self.file.with_suffix(f".{os.getpid()}.tmp")
        fresh.write_text(json.dumps(record.others | known, indent=2) + "\n", encoding="utf-8")
        os.replace(fresh, self.file)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Commands that change the record at the same moment wait for each other, so that none undoes another's change."""
    with regular(lock).open("ab") as file:
        with suppress(OSError):  # a file system that knows no locks
            if sys.platform == "win32":
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file lets the next one in
