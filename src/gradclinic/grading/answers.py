"""Which files are graded, and for which exercise."""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gradclinic.course import Course, CourseError, Lesson

_LARGEST = 2**20
_FIRST_LINE = re.compile(r"#\s*exercise:\s*(\S+)")


@dataclass(frozen=True)
class Answer:
    """One file to grade. The label is the slug, with the file's stem in brackets where there are several."""

    lesson: Lesson
    file: Path
    label: str

    def read(self) -> bytes:
        """The file's bytes. Raises OSError for what is no file (a pipe never ends) or too large for an exercise."""
        if not self.file.is_file():
            raise OSError(errno.EINVAL, "it is no regular file", str(self.file))
        if (size := self.file.stat().st_size) > _LARGEST:
            raise OSError(errno.EFBIG, f"it has {size / 2**20:.0f} MB; an exercise has some kB", str(self.file))
        return self.file.read_bytes()

    @property
    def own(self) -> bool:
        """Whether this is the learner's file in the course itself."""
        return self.file == self.lesson.exercise_file


def find_answers(course: Course, where: Path | None = None, lessons: Sequence[Lesson] | None = None) -> list[Answer]:
    """The learner's files, or those below `where`: one file, or a folder of `NN_slug.py`, `NN_slug/exercise.py`
    and `NN_slug/{wrong,right}_*.py`. Raises CourseError when there is nothing to grade.
    """
    wanted = tuple(course.lessons if lessons is None else lessons)
    if where is None:
        return [Answer(lesson, lesson.exercise_file, lesson.slug) for lesson in wanted]
    try:
        where = where.resolve()
    except (OSError, RuntimeError):  # a link that leads to itself
        raise CourseError(f"{where} leads nowhere: is it a broken link?") from None
    if where.is_file():
        answer = _single(course, where)
        if answer.lesson not in wanted:
            raise CourseError(f"{where.name} answers {answer.lesson.id}, not {', '.join(n.id for n in wanted)}.")
        return [answer]
    if not where.is_dir():
        raise CourseError(f"There is no file or folder {where}.")
    found = [answer for lesson in wanted for answer in _below(where, lesson)]
    if not found:
        names = ", ".join(lesson.slug for lesson in wanted[:3])
        raise CourseError(f"{where} holds no answer. Files are found by the exercise's name ({names}, ...).")
    return found


def named_in(text: bytes) -> list[str]:
    """The exercises that the first three lines name with `# exercise: id`, whether the course has them or not."""
    head = text[:2000].decode("utf-8", errors="replace").splitlines()[:3]
    return [match.group(1) for line in head if (match := _FIRST_LINE.search(line))]


def _below(where: Path, lesson: Lesson) -> list[Answer]:
    found = []
    if (file := where / f"{lesson.slug}.py").is_file():
        found.append(Answer(lesson, file, lesson.slug))
    folder = where if where.name == lesson.slug else where / lesson.slug
    if (file := folder / "exercise.py").is_file():
        found.append(Answer(lesson, file, lesson.slug))
    for pattern in ("wrong_*.py", "right_*.py"):
        for file in sorted(folder.glob(pattern)):
            found.append(Answer(lesson, file, f"{lesson.slug}[{file.stem}]"))
    return found


def _single(course: Course, file: Path) -> Answer:
    """The exercise of a single file: from an early line `# exercise: id`, its own name, or its folder's."""
    for name in (*named_in(file.read_bytes()), file.stem, file.parent.name):
        for lesson in course.lessons:
            if name in (lesson.slug, lesson.id):
                stem = file.stem if file.stem not in (lesson.slug, lesson.id, "exercise") else ""
                return Answer(lesson, file, f"{lesson.slug}[{stem}]" if stem else lesson.slug)
    raise CourseError(
        f"{file}: which exercise is this? Put its name in the first line, such as `# exercise: {course.lessons[0].id}`."
    )
