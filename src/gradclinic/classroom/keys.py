"""What a row depends on, as one key: an equal key needs no second grading."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from functools import cached_property

from gradclinic import __version__
from gradclinic.classroom.submission import Submission
from gradclinic.course import Course, Lesson
from gradclinic.grading.limits import Limits


class Keys:
    """The keys of one class under one course, one set of versions and limits, and one level of isolation."""

    def __init__(self, course: Course, limits: Limits, isolation: str) -> None:
        self._course, self._limits, self._isolation = course, limits, isolation

    def of(self, submission: Submission) -> str:
        """A digest in hexadecimal; the time of the submission is no part of it."""
        return _digest(self._ground[submission.exercise], submission.learner, submission.origin, submission.digest)

    @cached_property
    def _ground(self) -> dict[str, str]:
        surroundings = (
            __version__,
            platform.python_version(),
            importlib.metadata.version("torch"),
            repr(self._limits),
            self._isolation,
        )
        return {lesson.id: _digest(*surroundings, *_files(lesson)) for lesson in self._course.lessons}


def _files(lesson: Lesson) -> list[str]:
    """The checks, and what else of the course a verdict or its feedback is made from."""
    return [
        file.read_bytes().hex() if file.is_file() else ""
        for file in (lesson.check_file, lesson.exercise_file, lesson.lesson_file)
    ]


def _digest(*parts: str) -> str:
    whole = hashlib.sha256()
    for part in parts:
        text = part.encode(errors="surrogatepass")
        whole.update(len(text).to_bytes(8, "big") + text)
    return whole.hexdigest()
