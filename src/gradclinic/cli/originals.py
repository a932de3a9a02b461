"""What came with the course: the untouched exercise and the solution of a lesson."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gradclinic.course import Course, CourseError, Lesson, shipped_root
from gradclinic.files import regular
from gradclinic.progress import Progress


def _shipped(lesson: Lesson) -> Lesson | None:
    """The lesson of the same id in the course that came with this installation, unless that is this very course."""
    shipped = Course(shipped_root().resolve())
    if shipped.root == lesson.root:
        return None
    return next((other for other in shipped.lessons if other.id == lesson.id), None)


def solution_file(lesson: Lesson) -> Path:
    """The course's own solution, else that of the shipped course. Raises CourseError."""
    shipped = _shipped(lesson)
    for candidate in (lesson, *([shipped] if shipped else [])):
        if candidate.solution_file.exists():
            return candidate.solution_file
    raise CourseError(f"This course has no solution of {lesson.id}: {lesson.solution_file} does not exist.")


def original_exercise(lesson: Lesson) -> bytes:
    """The exercise as it was: from the shipped course, else as last committed with git. Raises CourseError."""
    shipped = _shipped(lesson)
    if shipped and shipped.exercise_file.exists():
        return regular(shipped.exercise_file).read_bytes()
    name = f"lessons/{lesson.slug}/exercise.py"
    command = ["git", "-C", str(lesson.root), "show", f"HEAD:./{name}"]
    try:
        result = subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise CourseError(
            f"The original of {name} is not at hand: it is neither in the installed course nor in git.\n"
            "A fresh copy comes with `gradclinic init another-folder`. Nothing was changed."
        ) from None
    return result.stdout


def restore(lesson: Lesson) -> Path | None:
    """Puts the original back. Returns the backup of the learner's file, or None if there was no file to keep."""
    original = original_exercise(lesson)
    progress = Progress(lesson.root)
    backup = progress.back_up(lesson) if lesson.exercise_file.exists() else None
    lesson.exercise_file.parent.mkdir(parents=True, exist_ok=True)
    lesson.exercise_file.write_bytes(original)
    progress.mark_open(lesson)
    progress.stand_at(lesson)
    return backup
