"""`gradclinic hint ID`: one more of the three hints, from "where to look" to "almost the code"."""

from __future__ import annotations

import argparse
from textwrap import indent

from gradclinic.cli.common import open_course
from gradclinic.cli.console import say
from gradclinic.course import CourseError, Lesson
from gradclinic.progress import Progress


def run(arguments: argparse.Namespace) -> int:
    show(open_course(arguments).find(arguments.id))
    return 0


def show(lesson: Lesson) -> None:
    """The hints seen so far, and one more. Raises CourseError if the lesson has none."""
    if not lesson.hints:
        raise CourseError(f"{lesson.id} has no hints. Its story is in {lesson.lesson_file}.")
    seen = Progress(lesson.root).one_more_hint(lesson)
    total = len(lesson.hints)
    for number, hint in enumerate(lesson.hints[:seen], 1):
        say(f"Hint {number} of {total}", "title" if number == seen else "dim")
        say(indent(hint, "  "))
    say()
    if seen < total:
        say(f"One more: gradclinic hint {lesson.id}", "dim")
    else:
        say(f"That was the last one. The solution: gradclinic solution {lesson.id} --give-up", "dim")
