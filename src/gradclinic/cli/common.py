"""What several commands begin with."""

from __future__ import annotations

import argparse

from gradclinic.course import Course, CourseError, find_course


def open_course(arguments: argparse.Namespace) -> Course:
    """The course that the command is about. Raises CourseError when there is none, or nothing in it."""
    course = find_course(given=arguments.course)
    if not course.lessons:
        raise CourseError(f"{course.root} has no exercises: checks/ holds no file such as test_01_first_name.py.")
    return course
