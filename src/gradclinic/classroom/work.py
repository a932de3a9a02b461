"""One worker of the class grader: a process with a judge of its own, told tasks and telling rows as lines of JSON."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Submission
from gradclinic.course import Course, CourseError
from gradclinic.grading.limits import Limits
from gradclinic.grading.servers import ForkServer, FreshProcesses, NoProcess

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")  # of an object in memory: another one in each run


@dataclass(frozen=True)
class Task:
    """A submission to be graded with inputs drawn from `seed`; its row carries `key`."""

    submission: Submission
    seed: int
    key: str

    def line(self) -> bytes:
        told = asdict(self)
        told["submission"]["text"] = base64.b64encode(self.submission.text).decode()
        return json.dumps(told).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Task:
        told = json.loads(line)
        told["submission"]["text"] = base64.b64decode(told["submission"]["text"])
        return cls(Submission(**told["submission"]), told["seed"], told["key"])


@dataclass(frozen=True)
class Settings:
    """What all workers of a run share: the course's folder, and the limits of a child."""

    course: str
    seconds: float
    memory_mb: int

    @property
    def limits(self) -> Limits:
        return Limits(seconds=self.seconds, memory_mb=self.memory_mb)


class Desk:
    """A confined judge; each answer lies in a folder of its own below `folder` while it is graded.

    `server`: of children confined to parts of `folder`, if it has been started already.
    """

    def __init__(self, settings: Settings, folder: Path, server: ForkServer | FreshProcesses | None = None) -> None:
        from gradclinic.grading.judge import Judge  # imports torch

        self._judge = Judge(settings.limits, root=folder, server=server)
        self._course = Course(Path(settings.course))
        self._folder = folder
        self._graded = 0

    def grade(self, task: Task) -> Row:
        """The row of one task, without points. Raises CourseError when the checks cannot be run at all."""
        from gradclinic.grading.answers import Answer

        given = task.submission
        lesson = self._course.find(given.exercise)
        self._graded += 1
        folder = self._folder / f"answer-{self._graded}"
        folder.mkdir()
        try:
            (folder / "exercise.py").write_bytes(given.text)
            verdict = self._judge.grade(Answer(lesson, folder / "exercise.py", lesson.slug), task.seed)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        told = verdict.row()
        del told["seed"]  # it would tell the inputs of whatever is handed in next
        told = _same_in_each_run(told, str(folder), given.origin)
        return Row(
            learner=given.learner,
            exercise=given.exercise,
            passed=told["passed"],
            points=0.0,
            possible=0.0,
            cause=told["cause"],
            root=told["root"],
            checks=told["checks"],
            isolation=verdict.isolation,
            seconds=told["seconds"],
            key=task.key,
            origin=given.origin,
            location=told["location"],
            attempt=given.attempt,
            submitted=given.submitted,
            late=given.late,
        )

    def close(self) -> None:
        self._judge.close()


def _same_in_each_run(told: Any, folder: str, origin: str) -> Any:
    """The row with the learner's own name for the file, and nothing that differs between two runs of the same code."""
    if isinstance(told, str):
        return _ADDRESS.sub("0x...", told.replace(f"{folder}/exercise.py", origin).replace(folder, "."))
    if isinstance(told, dict):
        return {name: _same_in_each_run(value, folder, origin) for name, value in told.items()}
    if isinstance(told, (list, tuple)):
        return [_same_in_each_run(value, folder, origin) for value in told]
    return told


def serve(tasks: IO[bytes], rows: IO[bytes], desk: Desk) -> None:
    """Grades task after task until there are no more."""
    try:
        for line in tasks:
            try:
                answer: dict[str, Any] = {"row": asdict(desk.grade(Task.of_line(line)))}
            except NoProcess:
                raise
            except CourseError as error:
                answer = {"course": str(error)}
            rows.write(json.dumps(answer).encode() + b"\n")
            rows.flush()
    finally:
        desk.close()


def work(server: ForkServer | FreshProcesses, folder: Path, words: list[str]) -> None:
    """A whole worker: tasks on stdin, rows on stdout."""
    (settings,) = words
    rows = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints here is no row
    with contextlib.suppress(BrokenPipeError, NoProcess):  # its end tells enough: another worker tries once more
        serve(sys.stdin.buffer, rows, Desk(Settings(**json.loads(settings)), folder, server))
