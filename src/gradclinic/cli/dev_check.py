"""`gradclinic dev check`: refuses what is missing or wrong in a course, each refusal with its file and the remedy."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gradclinic.cli.common import open_course
from gradclinic.cli.console import passing, say
from gradclinic.cli.dev_rules import expected_causes, from_error, marked_line, problems_to_read
from gradclinic.course import Course, CourseError, Lesson
from gradclinic.grading.answers import Answer, find_answers
from gradclinic.publishing.verify import Problem

if TYPE_CHECKING:
    from gradclinic.grading.verdict import Verdict


@dataclass(frozen=True)
class _Part(Course):
    """Some lessons of a course."""

    chosen: tuple[Lesson, ...]

    @cached_property
    def lessons(self) -> tuple[Lesson, ...]:
        return self.chosen


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    chosen = tuple(course.find(name) for name in dict.fromkeys(arguments.ids))
    part = _Part(course.root, chosen) if chosen else course
    refused = _show(problems_to_read(course, part.lessons))
    if arguments.quick:
        return _sum_up(refused, "This was reading alone; without --quick everything is run, too.")
    if refused:
        return _sum_up(refused, "Reading found this, and nothing was run yet. Repair it, then check again.")
    return _sum_up(_show(_graded(part)) + _show(_executed(part, beside=not chosen)), "")


def _show(problems: Iterable[Problem]) -> int:
    """Prints each. Returns how many there were."""
    count = 0
    for problem in problems:
        passing()
        say(str(problem), "code")
        count += 1
    passing()
    return count


def _sum_up(refused: int, left_out: str) -> int:
    if refused:
        say(f"✗ {refused} to repair. {left_out}".rstrip(), "bad")
    else:
        say(f"✓ Nothing to repair. {left_out}".rstrip(), "good")
    return 1 if refused else 0


def _graded(course: Course) -> Iterator[Problem]:
    """The untouched exercise fails, the solution passes, and each answer gets what it is there to get."""
    untouched = find_answers(course)
    solutions = [Answer(lesson, lesson.solution_file, f"{lesson.slug}, the solution") for lesson in course.lessons]
    folder = course.root / "checks" / "answers"
    others = find_answers(course, folder, course.lessons) if any(folder.glob("*/*.py")) else []
    answers = [answer for answer in (*untouched, *solutions, *others) if answer.file.exists()]
    passing("importing PyTorch…")
    from gradclinic.grading.judge import Judge  # imports torch

    with Judge() as judge:
        for number, answer in enumerate(answers, 1):
            passing(f"[{number}/{len(answers)}] {answer.label}")
            verdict = judge.grade(answer, seed=None)
            if answer.own or answer.file.name.startswith("wrong_"):
                yield from _should_fail(verdict)
            else:
                yield from _should_pass(verdict)


def _should_fail(verdict: Verdict) -> Iterator[Problem]:
    file = verdict.answer.file
    wanted = expected_causes(file)
    line = marked_line(file)
    if verdict.passed:
        yield Problem(file, 1, "This passes, and should not.", "Make the check ask for what is wrong here.")
    elif wanted and verdict.cause not in wanted:
        remedy = f"Let the check tell this mistake apart, or change the first line to `# expects: {verdict.cause}`."
        yield Problem(file, line or 1, f"The cause comes out as {verdict.cause}, not {' or '.join(wanted)}.", remedy)
    elif line and (verdict.location is None or verdict.location.line != line):
        named = f"line {verdict.location.line}" if verdict.location else "no line"
        yield Problem(file, line, f"The feedback names {named}.", "Move `# <- here`, or let the check name this line.")


def _should_pass(verdict: Verdict) -> Iterator[Problem]:
    failure = verdict.first_failure
    if not verdict.passed:
        line = verdict.location.line if verdict.location else 1
        why = f"{failure.name}: {failure.message}" if failure else "no check ran"
        remedy = "Repair the answer, or the check if it refuses a right approach."
        yield Problem(verdict.answer.file, line, f"This should pass: {why}.", remedy)


def _executed(course: Course, beside: bool) -> Iterator[Problem]:
    """What the lessons, the claims and the causes say against what their programs print."""
    try:
        from gradclinic.publishing.cache import executed_lessons
        from gradclinic.publishing.forked import forked_results

        for lesson in executed_lessons(course, passing):
            yield from lesson.problems
        if beside:
            yield from forked_results(course, passing).problems
    except ImportError as error:
        raise CourseError(
            f"Running the lessons needs {error.name}: install `gradclinic[site]`, or leave this out with --quick."
        ) from None
    except CourseError as error:
        yield from_error(error, course.root / "lessons", "Repair this, then check again.")
