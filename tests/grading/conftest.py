"""The fixture course in `tests/course`, and answers to it graded by a real judge."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
import torch  # noqa: F401 - the judges of this suite find torch imported, and execute their servers

from gradclinic.course import Course
from gradclinic.grading.answers import Answer
from gradclinic.grading.judge import Judge
from gradclinic.grading.limits import Limits
from gradclinic.grading.verdict import Verdict

COURSE = Path(__file__).parents[1] / "course"


@dataclass
class Grader:
    """Writes a text as an exercise of the fixture course and grades it."""

    course: Course
    judge: Judge
    folder: Path

    def __call__(self, text: str | bytes, exercise: str = "slope", seed: int = 1) -> Verdict:
        return self.judge.grade(self.answer(text, exercise), seed)

    def told(self, program: str, exercise: str = "slope") -> tuple[str | None, str | None, int | None]:
        """Cause, root and line of the first check, which must fail."""
        row = self(program, exercise).checks[0]
        assert row.state == "failed"
        return row.cause, row.root, row.location.line if row.location else None

    @staticmethod
    def marked(program: str) -> int:
        """The line that a program marks as the one to name."""
        return next(n for n, line in enumerate(program.splitlines(), 1) if line.endswith("# <- here"))

    def answer(self, text: str | bytes, exercise: str = "slope") -> Answer:
        lesson = self.course.find(exercise)
        file = self.folder / "exercise.py"
        file.write_bytes(text if isinstance(text, bytes) else dedent(text).encode())
        return Answer(lesson, file, lesson.slug)


@pytest.fixture(scope="session")
def course() -> Course:
    return Course(COURSE)


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


@pytest.fixture(scope="session")
def impatient_judge() -> Iterator[Judge]:
    """For answers that never end."""
    with Judge(Limits(seconds=1.5)) as judge:
        yield judge


@pytest.fixture
def grade(course: Course, judge: Judge, tmp_path: Path) -> Grader:
    return Grader(course, judge, _folder(tmp_path))


@pytest.fixture
def grade_briefly(course: Course, impatient_judge: Judge, tmp_path: Path) -> Grader:
    return Grader(course, impatient_judge, _folder(tmp_path))


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "answer"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """After the test no process lives below the judges' servers (seen on Linux, where /proc tells)."""
    yield
    if sys.platform == "linux":
        servers = [pid for pid in _children(os.getpid()) if b"playwright" not in _command(pid)]
        assert {server: _children(server) for server in servers} == {server: [] for server in servers}


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _children(pid: int) -> list[int]:
    lists = (task / "children" for task in Path(f"/proc/{pid}/task").iterdir())
    return [int(child) for children in lists for child in children.read_text().split()]
