"""Runs what has changed since it last ran, several lessons at a time, and keeps what came out under `.cache/`."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path

from gradclinic.course import Course, Lesson
from gradclinic.publishing.execute import ExecutedLesson, execute_lesson
from gradclinic.publishing.reading import read_story

Tell = Callable[[str], None]
_TOOL = Path(__file__).parent


def executed_lessons(course: Course, tell: Tell) -> list[ExecutedLesson]:
    """Every lesson that has a story, in order; `tell` gets a line for each. A faulty lesson runs again each time.

    Raises CourseError when a lesson cannot be read.
    """
    lessons = [lesson for lesson in course.lessons if lesson.lesson_file.exists()]
    done: dict[Lesson, ExecutedLesson] = {}
    for lesson in lessons:
        kept = kept_at(course, lesson.slug, [lesson.lesson_file])
        if kept.exists():
            done[lesson] = ExecutedLesson.from_json(read_story(lesson), kept.read_text(encoding="utf-8"))
            tell(f"{lesson.slug}  unchanged, run on {done[lesson].date}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each thread waits for the kernel that it started
        started = time.perf_counter()
        running = {pool.submit(execute_lesson, lesson): lesson for lesson in lessons if lesson not in done}
        for future in as_completed(running):
            lesson, result = running[future], future.result()
            done[lesson] = result
            tell(f"{lesson.slug}  {_outcome(result)} after {time.perf_counter() - started:.1f} s")
            if not result.problems:
                keep(kept_at(course, lesson.slug, [lesson.lesson_file]), result.to_json())
    return [done[lesson] for lesson in lessons]


def _outcome(result: ExecutedLesson) -> str:
    return f"{len(result.problems)} problems" if result.problems else "executed"


def kept_at(course: Course, name: str, files: Iterable[Path]) -> Path:
    """Where the result of these files is kept: the name changes with all that could change an output.

    That is the sources, the publisher, torch, the kernel and Python.
    """
    digest = hashlib.sha256()
    for file in [*files, *sorted(_TOOL.glob("*.py"))]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    for part in (version("torch"), version("ipykernel"), platform.python_version()):
        digest.update(part.encode() + b"\0")
    return course.root / ".cache" / "gradclinic" / f"{name}-{digest.hexdigest()[:16]}.json"


def keep(path: Path, text: str) -> None:
    """Writes it, in place of what the same name held before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{path.stem.rpartition('-')[0]}-*.json"):
        old.unlink()
    path.write_text(text, encoding="utf-8")
