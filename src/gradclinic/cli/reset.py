"""`gradclinic reset ID`: the exercise as it was; the learner's file is kept as a backup."""

from __future__ import annotations

import argparse
import sys

from gradclinic.cli.common import open_course
from gradclinic.cli.console import say, shown
from gradclinic.cli.originals import original_exercise, restore
from gradclinic.course import CourseError, Lesson
from gradclinic.files import regular


def run(arguments: argparse.Namespace) -> int:
    lesson = open_course(arguments).find(arguments.id)
    if is_untouched(lesson):
        say(f"{shown(lesson.exercise_file)} is as it was. There is nothing to reset.")
        return 0
    if arguments.yes or _agreed(lesson):
        do(lesson)
    else:
        say("Nothing was changed.")
    return 0


def is_untouched(lesson: Lesson) -> bool:
    """Whether the learner's file equals the original. Raises CourseError when the original is not at hand."""
    original = original_exercise(lesson)
    return lesson.exercise_file.exists() and regular(lesson.exercise_file).read_bytes() == original


def do(lesson: Lesson) -> None:
    """Resets and says where the backup is."""
    backup = restore(lesson)
    say(f"✓ {shown(lesson.exercise_file)} is as it was.", "good")
    if backup:
        say(f"  Your file is kept: {shown(backup)}")


def _agreed(lesson: Lesson) -> bool:
    if not sys.stdin.isatty():
        raise CourseError("There is nobody to ask here. `--yes` resets without asking; your file is kept as a backup.")
    try:
        answer = input(f"Reset {lesson.slug}? Your file is kept as a backup. [y/N] ")
    except EOFError:
        answer = ""
    return answer.strip().lower() in ("y", "yes")
