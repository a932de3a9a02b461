"""`gradclinic` alone: where you are and what to do next; on a terminal it goes on to watch."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from gradclinic.cli.bar import show_bar, show_end
from gradclinic.cli.common import open_course
from gradclinic.cli.console import say, shown
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
        _next_steps(lesson, on_terminal)
    else:
        show_end(course)
    if not on_terminal:
        return 0
    from gradclinic.cli import watch

    say()
    return watch.run(arguments)


def _next_steps(lesson: Lesson, on_terminal: bool) -> None:
    say(f"Next: {lesson.slug}", "title")
    if lesson.question:
        say(f"  {lesson.question}")
    if lesson.lesson_file.exists():
        say("  read   ", "dim", (shown(lesson.lesson_file), "plain"))
    say("  edit   ", "dim", (shown(lesson.exercise_file), "plain"))
    if on_terminal:
        return
    say("  check  ", "dim", (f"gradclinic check {lesson.id}", "plain"))
    say("  watch  ", "dim", ("gradclinic watch (checks at each save)", "plain"))
    shown_hints = Progress(lesson.root).hints_shown(lesson)
    if lesson.hints:
        say("  hint   ", "dim", (f"gradclinic hint {lesson.id} ({shown_hints} of {len(lesson.hints)} seen)", "plain"))
    if not shutil.which("gradclinic"):
        beside = Path(sys.executable).with_name("gradclinic")
        say()
        say(f"Your shell does not know `gradclinic` by this name alone. Write {shown(beside)} instead.", "dim")
