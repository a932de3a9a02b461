"""`gradclinic hint ID`: one more of the three hints, from "where to look" to "almost the code"."""

from __future__ import annotations

import argparse
from textwrap import indent

from gradclinic.cli.common import open_course
from gradclinic.cli.console import note, say, shown
from gradclinic.course import CourseError, Lesson
from gradclinic.progress import Progress


def run(arguments: argparse.Namespace) -> int:
    show(open_course(arguments).find(arguments.id))
    return 0


def show(lesson: Lesson, again: str = "") -> None:
    """The hints seen so far, and one more. `again` says how to get the next. Raises CourseError if there are none."""
    if not lesson.hints:
        raise CourseError(f"{lesson.id} has no hints. Its story is in {lesson.lesson_file}.")
    total = len(lesson.hints)
    progress = Progress(lesson.root)
    try:
        seen = progress.one_more_hint(lesson)
    except CourseError as error:
        seen = min(progress.hints_shown(lesson) + 1, total)
        note(f"{error} This hint is not counted; all of them are in {shown(lesson.lesson_file)}.")
    for number, hint in enumerate(lesson.hints[:seen], 1):
        say(f"Hint {number} of {total}", "title" if number == seen else "dim")
        say(indent(hint, "  "))
    say()
    if seen < total:
        say(f"One more: {again or f'gradclinic hint {lesson.id}'}", "dim")
    else:
        say(f"That was the last one. The solution: gradclinic solution {lesson.id} --give-up", "dim")
