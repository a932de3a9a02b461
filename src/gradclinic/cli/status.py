"""`gradclinic` alone: where you are and what to do next; on a terminal it goes on to watch."""

from __future__ import annotations

import argparse
import sys

from gradclinic.cli.bar import show_bar, show_end, show_lesson
from gradclinic.cli.common import open_course, tell_name
from gradclinic.cli.console import say
from gradclinic.course import Lesson
from gradclinic.progress import Progress


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    say("The Gradient Clinic", "title")
    say()
    show_bar(course)
    say()
    lesson = Progress(course.root).next_lesson(course)
    if lesson:
        say(f"Next: {lesson.slug}", "title")
        show_lesson(lesson)
        if not on_terminal:
            _commands(lesson)
    else:
        show_end(course)
    tell_name()
    if not on_terminal:
        return 0
    from gradclinic.cli import watch

    return watch.follow(course)


def _commands(lesson: Lesson) -> None:
    say("  check  ", "dim", (f"gradclinic check {lesson.id}", "plain"))
    say("  watch  ", "dim", ("gradclinic watch (checks at each save)", "plain"))
    shown_hints = Progress(lesson.root).hints_shown(lesson)
    if lesson.hints:
        say("  hint   ", "dim", (f"gradclinic hint {lesson.id} ({shown_hints} of {len(lesson.hints)} seen)", "plain"))
