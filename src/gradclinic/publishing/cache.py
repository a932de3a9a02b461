"""Runs what has changed since it last ran, several lessons at a time, and keeps what came out under `.cache/`."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from gradclinic.claims import ClaimResult, run_claims
from gradclinic.course import Course, Lesson
from gradclinic.publishing.execute import ExecutedLesson, execute_lesson
from gradclinic.publishing.reading import read_story
from gradclinic.publishing.verify import Problem

Tell = Callable[[str], None]
_TOOL = Path(__file__).parent


def executed_lessons(course: Course, tell: Tell) -> list[ExecutedLesson]:
    """Every lesson that has a story, in order; `tell` gets a line for each. A faulty lesson runs again each time.

    Raises CourseError when a lesson cannot be read.
    """
    lessons = [lesson for lesson in course.lessons if lesson.lesson_file.exists()]
    done: dict[Lesson, ExecutedLesson] = {}
    for lesson in lessons:
        kept = _kept(course, lesson)
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
                _keep(_kept(course, lesson), lesson.slug, result.to_json())
    return [done[lesson] for lesson in lessons]


def claim_results(course: Course, tell: Tell) -> tuple[list[ClaimResult], list[Problem]]:
    """What the claims' programs show, run in a process of their own, and what differs from the recorded verdicts.

    Raises CourseError when a claim cannot be read.
    """
    files = sorted((course.root / "lessons" / "claims").glob("*.py"))
    kept = course.root / ".cache" / "gradclinic" / f"claims-{_key([*files, _TOOL.parent / 'claims.py'])}.json"
    if kept.exists():
        results = [ClaimResult(**row) for row in json.loads(kept.read_text(encoding="utf-8"))]
        tell(f"{len(results)} claims  unchanged")
        return results, []
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        results = pool.submit(_run_claims, course.root).result()
    tell(f"{len(results)} claims  run")
    problems = [_changed_claim(course, result) for result in results if not result.as_recorded]
    if not problems:
        _keep(kept, "claims", json.dumps([asdict(result) for result in results], indent=1))
    return results, problems


def _run_claims(root: Path) -> list[ClaimResult]:
    os.environ["OMP_NUM_THREADS"] = "1"
    return run_claims(Course(root))


def _changed_claim(course: Course, result: ClaimResult) -> Problem:
    what = f"claim {result.id} is recorded as {result.recorded}, and this run says {result.verdict}: {result.measured}"
    file = course.root / "lessons" / "claims" / f"{result.id}.py"
    return Problem(
        file, 1, what, "If PyTorch has changed, correct the `verdict:` line and every page that builds on it."
    )


def _outcome(result: ExecutedLesson) -> str:
    return f"{len(result.problems)} problems" if result.problems else "executed"


def _kept(course: Course, lesson: Lesson) -> Path:
    return course.root / ".cache" / "gradclinic" / f"{lesson.slug}-{_key([lesson.lesson_file])}.json"


def _key(files: Iterable[Path]) -> str:
    """Changes with the sources, the publisher, torch, the kernel and Python: whatever could change an output."""
    digest = hashlib.sha256()
    for file in [*files, *sorted(_TOOL.glob("*.py"))]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    for part in (version("torch"), version("ipykernel"), platform.python_version()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]


def _keep(path: Path, name: str, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{name}-*.json"):
        old.unlink()
    path.write_text(text, encoding="utf-8")
