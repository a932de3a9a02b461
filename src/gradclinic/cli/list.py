"""`gradclinic list`: the exercises, and which of them are passed."""

from __future__ import annotations

import argparse

from gradclinic.cli.common import open_course
from gradclinic.cli.console import say
from gradclinic.course import Course, Lesson
from gradclinic.progress import Progress


def run(arguments: argparse.Namespace) -> int:
    show(open_course(arguments))
    return 0


def show(course: Course, here: Lesson | None = None) -> None:
    """One row per exercise; `here` (default: the next one to do) is pointed at."""
    progress = Progress(course.root)
    passed = progress.passed()
    here = here or progress.next_lesson(course)
    widest = max((len(lesson.id) for lesson in course.lessons), default=0)
    for lesson in course.lessons:
        _row(lesson, widest, passed.get(lesson.id, ""), lesson == here)
    say()
    done = sum(lesson.id in passed for lesson in course.lessons)
    say(f"{done} of {len(course.lessons)} passed. The arrow shows where you are.")


def _row(lesson: Lesson, widest: int, day: str, here: bool) -> None:
    arrow = "▸" if here else " "
    state = ("✓ ", "good") if day else ("  ", "plain")
    facts = f"passed {day}" if day else f"{sum(lesson.minutes)} min" if sum(lesson.minutes) else ""
    optional = "" if lesson.core else "(optional) "
    row = f"{lesson.number:02} {lesson.id:<{widest}}  "
    say(f"{arrow} ", "title", state, (row, "title" if here else "plain"), (optional + facts, "dim"))
