"""What a row depends on, as one key: an equal key needs no second grading."""

from __future__ import annotations

import hashlib
from functools import cached_property

from gradclinic.classroom.submission import Submission
from gradclinic.classroom.surroundings import Surroundings
from gradclinic.course import Course, Lesson
from gradclinic.grading.limits import Limits


class Keys:
    """The keys of one class under one course, one set of limits, and the same surroundings."""

    def __init__(self, course: Course, limits: Limits, surroundings: Surroundings) -> None:
        self._course, self._limits, self._surroundings = course, limits, surroundings

    def of(self, submission: Submission) -> str:
        """A digest in hexadecimal; the time of the submission is no part of it."""
        return _digest(
            self._ground[submission.exercise],
            submission.exercise,
            submission.learner,
            submission.origin,
            submission.digest,
        )

    @cached_property
    def _ground(self) -> dict[str, str]:
        same = (repr(self._limits), *self._surroundings.facts().values())
        return {lesson.id: _digest(*same, *_files(lesson)) for lesson in self._course.lessons}


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
