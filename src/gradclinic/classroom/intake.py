"""A folder of submissions as answers to grade: whose each file is, which exercise it answers, and what was refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gradclinic.classroom.identify import exercises_of
from gradclinic.classroom.learners import Learner, Sender, sender
from gradclinic.classroom.notebooks import NotebookError, program
from gradclinic.classroom.trees import File, Refused, files_below, files_of_zip
from gradclinic.course import Course, CourseError, Lesson

_CODE = (".py", ".ipynb")
_MOST_BESIDE = 20  # helper files that go with an answer


@dataclass(frozen=True)
class Attempt:
    """One file that answers one exercise."""

    learner: Learner
    lesson: Lesson
    path: str  # as it lay among the submissions
    source: bytes
    beside: dict[str, bytes] = field(default_factory=dict, compare=False)  # the learner's files in the same folder
    late: bool = False
    order: tuple[int, float, str] = (0, 0.0, "")  # of several attempts, the largest is the last


@dataclass(frozen=True)
class Problem:
    """Something that was handed in and is not graded, or a doubt that the instructor should see."""

    learner: Learner
    path: str
    why: str


@dataclass
class Intake:
    """All that was found; the attempts of one learner at one exercise stand in the order in which they were made."""

    learners: dict[str, Learner] = field(default_factory=dict)
    attempts: dict[tuple[str, str], list[Attempt]] = field(default_factory=dict)  # by learner and exercise
    problems: list[Problem] = field(default_factory=list)


def take_in(submissions: Path, course: Course, pattern: re.Pattern[str] | None = None) -> Intake:
    """Reads everything below `submissions`, a folder or a zip of one. Raises CourseError when there is nothing."""
    intake = Intake()
    for entry, files in _entries(submissions):
        whose = sender(entry, pattern)
        learner = intake.learners.setdefault(whose.learner.id, whose.learner)
        _take(intake, course, learner, whose, entry, files)
    if not intake.learners:
        raise CourseError(f"{submissions} holds no submission: no folder, no .zip, no .py and no .ipynb.")
    for attempts in intake.attempts.values():
        attempts.sort(key=lambda attempt: attempt.order)
    for (learner_id, exercise), attempts in intake.attempts.items():
        if len(attempts) > 1:
            names = ", ".join(attempt.path for attempt in attempts[:3])
            learner = intake.learners[learner_id]
            why = f"{len(attempts)} files answer {exercise}: {names}"
            intake.problems.append(Problem(learner, attempts[-1].path, why))
    return intake


def _entries(submissions: Path) -> Iterator[tuple[str, Iterable[File | Refused]]]:
    """The top-level names, each with what lies below."""
    if submissions.is_file():
        grouped: dict[str, list[File | Refused]] = {}
        for item in files_of_zip(submissions.read_bytes()):
            parts = PurePosixPath(item.path).parts
            if isinstance(item, File):
                inner = PurePosixPath(*parts[1:]) if len(parts) > 1 else item.path
                grouped.setdefault(parts[0], []).append(File(inner, item.data, item.changed))
            else:
                grouped.setdefault(parts[0] if parts else "?", []).append(item)
        yield from grouped.items()
        return
    if not submissions.is_dir():
        raise CourseError(f"There is no folder {submissions}.")
    for path in sorted(submissions.iterdir()):
        wanted = path.is_dir() or path.suffix.lower() in (*_CODE, ".zip")
        if wanted and not path.name.startswith((".", "__")):
            yield path.name, files_below(path)


def _take(
    intake: Intake, course: Course, learner: Learner, whose: Sender, entry: str, files: Iterable[File | Refused]
) -> None:
    found: list[File] = []
    for item in files:
        if isinstance(item, Refused):
            intake.problems.append(Problem(learner, f"{entry}/{item.path}", item.why))
        elif item.path.suffix.lower() in _CODE:
            found.append(item)
    if not found:
        intake.problems.append(Problem(learner, entry, "no .py and no .ipynb file in it"))
    for file in found:
        path = str(file.path) if str(file.path) == entry else f"{entry}/{file.path}"
        named = PurePosixPath(whose.rest) if len(file.path.parts) == 1 and str(file.path) == entry else file.path
        try:
            source, lessons = _answer(course, named, file)
        except NotebookError as error:
            intake.problems.append(Problem(learner, path, str(error)))
            continue
        if not lessons:
            intake.problems.append(Problem(learner, path, "no first line, name or function tells the exercise"))
        beside = _beside(file, found)
        for lesson in lessons:
            order = (whose.attempt, file.changed, path)
            attempt = Attempt(learner, lesson, path, source, beside, whose.late, order)
            intake.attempts.setdefault((learner.id, lesson.id), []).append(attempt)


def _answer(course: Course, named: PurePosixPath, file: File) -> tuple[bytes, list[Lesson]]:
    """The program, and the exercises that it answers."""
    if file.path.suffix.lower() == ".py":
        return file.data, exercises_of(course, named, file.data.decode("utf-8", errors="replace"))
    text = program(file.data)
    return text.encode(), exercises_of(course, named, text)


def _beside(file: File, found: list[File]) -> dict[str, bytes]:
    near = [one for one in found if one is not file and one.path.parent == file.path.parent]
    return {one.path.name: one.data for one in near if one.path.suffix == ".py"} if len(near) <= _MOST_BESIDE else {}
