"""How far the learner is: the bar, and the last screen."""

from __future__ import annotations

from gradclinic.cli.console import say
from gradclinic.course import Course
from gradclinic.progress import Progress


def show_bar(course: Course) -> None:
    """How far the learner is, as a bar and in numbers."""
    passed = Progress(course.root).passed()
    total = len(course.lessons)
    done = sum(lesson.id in passed for lesson in course.lessons)
    say("█" * (3 * done), "good", ("░" * (3 * (total - done)), "dim"), (f"  {done} of {total} passed", "plain"))


def show_end(course: Course) -> None:
    """The last screen."""
    say(
        f"✓ All {len(course.lessons)} exercises are passed. You know where gradients get lost, and how to find them.",
        "good",
    )
    say("Do one again with `gradclinic reset ID`; see how others do it with `gradclinic solution ID`.")
