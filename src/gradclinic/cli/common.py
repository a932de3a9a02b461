"""What several commands share."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from gradclinic.cli.console import say, shown
from gradclinic.course import Course, CourseError, find_course


def open_course(arguments: argparse.Namespace) -> Course:
    """The course that the command is about. Raises CourseError when there is none, or nothing in it."""
    course = find_course(given=arguments.course)
    if not course.lessons:
        raise CourseError(f"{course.root} has no exercises: checks/ holds no file such as test_01_first_name.py.")
    return course


def tell_name() -> None:
    """An empty line, and how to call `gradclinic` from a shell that does not know it; nothing where it does."""
    if not shutil.which("gradclinic"):
        say()
        beside = Path(sys.executable).with_name("gradclinic")
        say(f"Your shell does not know `gradclinic` by this name alone. Write {shown(beside)} instead.")
