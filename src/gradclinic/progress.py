"""Where a learner is: `.gradclinic/` in the course folder holds the progress and the backups.

Everything is kept by an exercise's stable id, so that renumbering the lessons loses nothing.
"""

from __future__ import annotations

import datetime
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gradclinic.course import Course, CourseError, Lesson


@dataclass
class _Record:
    passed: dict[str, str] = field(default_factory=dict)  # id -> date
    hints: dict[str, int] = field(default_factory=dict)  # id -> how many were shown
    current: str = ""


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
        record = self._read()
        record.passed.setdefault(lesson.id, datetime.date.today().isoformat())
        self._write(record)

    def mark_open(self, lesson: Lesson) -> None:
        """The exercise is to be done again."""
        record = self._read()
        record.passed.pop(lesson.id, None)
        self._write(record)

    def one_more_hint(self, lesson: Lesson) -> int:
        """How many hints may be seen now: one more than last time, and never more than there are."""
        record = self._read()
        record.hints[lesson.id] = min(record.hints.get(lesson.id, 0) + 1, len(lesson.hints))
        self._write(record)
        return record.hints[lesson.id]

    def stand_at(self, lesson: Lesson) -> None:
        """Makes this the exercise that the learner works on."""
        record = self._read()
        record.current = lesson.id
        self._write(record)

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
        content = lesson.exercise_file.read_bytes()
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
            text = self.file.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return _Record()
        except UnicodeDecodeError as error:
            raise self._damaged(str(error)) from None
        try:
            stored = json.loads(text)
            return _Record(
                {str(key): str(value) for key, value in stored.get("passed", {}).items()},
                {str(key): int(value) for key, value in stored.get("hints", {}).items()},
                str(stored.get("current", "")),
            )
        except (ValueError, TypeError, AttributeError) as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, why: str) -> CourseError:
        return CourseError(
            f"{self.file} cannot be read: {why}.\n"
            "Repair it, or rename it to start counting anew. Your exercises are not touched by that."
        )

    def _write(self, record: _Record) -> None:
        """Through a second file, so that a full disk or a lost process never leaves half a record."""
        self.file.parent.mkdir(exist_ok=True)
        fresh = self.file.with_suffix(f".{os.getpid()}.tmp")
        fresh.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
        os.replace(fresh, self.file)
