"""How far the learner is, and what to do next: the bar, the steps of an exercise, and the last screen."""

from __future__ import annotations

from gradclinic.cli.console import say, shown
from gradclinic.course import Course, Lesson
from gradclinic.progress import Progress


def show_bar(course: Course) -> None:
    """How far the learner is, as a bar and in numbers."""
    passed = Progress(course.root).passed()
    total = len(course.lessons)
    done = sum(lesson.id in passed for lesson in course.lessons)
    say("█" * (3 * done), "good", ("░" * (3 * (total - done)), "dim"), (f"  {done} of {total} passed", "plain"))


def show_lesson(lesson: Lesson) -> None:
    """What the lesson asks, the command that shows it, and the file to edit."""
    if lesson.question:
        say(f"  {lesson.question}")
    if lesson.lesson_file.exists():
        say("  read   ", "dim", (f"gradclinic read {lesson.id}", "plain"))
    say("  edit   ", "dim", (shown(lesson.exercise_file), "plain"))


def show_end(course: Course) -> None:
    """The last screen."""
    say(
        f"✓ All {len(course.lessons)} exercises are passed. You know where gradients get lost, and how to find them.",
        "good",
    )
    say("Do one again with `gradclinic reset ID`; see how others do it with `gradclinic solution ID`.")
