"""One piece of work, as plain data, and the judge that does it: in a process of this machine, or of a cluster."""

from __future__ import annotations

import hashlib
import hmac
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradclinic.classroom.rows import Row
from gradclinic.course import Course
from gradclinic.grading.answers import Answer
from gradclinic.grading.feedback import render
from gradclinic.grading.judge import Judge
from gradclinic.grading.limits import Limits
from gradclinic.grading.verdict import Verdict, location_dict

STRICT = "strict"


@dataclass(frozen=True)
class Task:
    """One attempt of one learner at one exercise; `secret` makes its inputs fresh for the learner, and repeatable."""

    learner: str
    exercise: str
    key: str
    path: str
    source: bytes
    secret: bytes = field(repr=False)
    beside: dict[str, bytes] = field(default_factory=dict, repr=False)
    late: bool = False
    attempt: int = 1
    attempts: int = 1

    @property
    def seed(self) -> int:
        told = f"{self.learner}\0{self.exercise}".encode()
        return int.from_bytes(hmac.digest(self.secret, told, hashlib.sha256)[:6], "big")


class Desk:
    """A judge with a folder that everything lies in which its children may touch."""

    def __init__(self, course: Course, limits: Limits) -> None:
        self._course = course
        self._folder = tempfile.TemporaryDirectory(prefix="gradclinic-", ignore_cleanup_errors=True)
        self._root = Path(self._folder.name)
        self._judge = Judge(limits, root=self._root)

    @property
    def isolation(self) -> str:
        return self._judge.isolation

    def grade(self, task: Task) -> Row:
        """The row of one attempt; whatever its code does is in it."""
        lesson = self._course.find(task.exercise)
        with tempfile.TemporaryDirectory(dir=self._root, ignore_cleanup_errors=True) as folder:
            file = Path(folder, "exercise.py")
            for name, data in {**task.beside, file.name: task.source}.items():
                Path(folder, name).write_bytes(data)
            verdict = self._judge.grade(Answer(lesson, file, lesson.slug), task.seed)
            return _row(task, verdict, folder)

    def close(self) -> None:
        self._judge.close()
        self._folder.cleanup()


def _row(task: Task, verdict: Verdict, folder: str) -> Row:
    first = verdict.first_failure
    place = location_dict(verdict.location)
    return Row(
        learner=task.learner,
        exercise=task.exercise,
        key=task.key,
        path=task.path,
        passed=verdict.passed,
        cause=verdict.cause,
        root=first.root if first else None,
        location=place and {"line": place["line"], "source": place["source"]},
        checks=tuple(_check(check.as_dict()) for check in verdict.checks),
        isolation=verdict.isolation,
        seconds=round(verdict.seconds, 4),
        late=task.late,
        attempt=task.attempt,
        attempts=task.attempts,
        feedback=tuple(line.text.replace(folder + "/", "") for line in render(verdict)),
    )


def _check(told: dict[str, Any]) -> dict[str, Any]:
    """What the report needs of a check, without the folder that the file lay in for a moment."""
    place = told["location"]
    kept = ("name", "passed", "state", "cause", "root", "message", "got", "expected", "warnings", "remarks")
    return {name: told[name] for name in kept} | {"line": place and place["line"], "source": place and place["source"]}
