"""What the intake finds: answers to be graded, and what could not be taken for one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Submission:
    """One learner's answer to one exercise, and where it came from.

    `text` is the program to grade (of a notebook, its code cells); `origin` is its path inside the folder of
    submissions, with the members of an archive below the archive's name; `attempt` counts from 1, the oldest.
    `submitted` is a local time in ISO format to the second, or empty where nothing tells it.
    """

    learner: str
    exercise: str
    text: bytes
    origin: str
    attempt: int = 1
    submitted: str = ""
    late: bool = False

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text).hexdigest()


@dataclass(frozen=True)
class Problem:
    """Something handed in that is not graded, in words for the instructor; `exercise` is empty if none is known."""

    learner: str
    origin: str
    message: str
    exercise: str = ""


@dataclass(frozen=True)
class Intake:
    """All that was found, sorted by learner, exercise and attempt; `learners` also names those without any answer.

    `names` are readable names by learner id, where the platform's file names carry them.
    """

    submissions: tuple[Submission, ...]
    problems: tuple[Problem, ...]
    learners: tuple[str, ...]
    names: dict[str, str] = field(default_factory=dict)
