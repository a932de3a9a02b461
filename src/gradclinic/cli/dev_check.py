"""`gradclinic dev check`: refuses what is missing or wrong in a course, each refusal with its file and the remedy."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradclinic.cli.common import open_course
from gradclinic.cli.console import passing, say
from gradclinic.cli.dev_rules import expected_causes, from_error, marked_line, problems_to_read
from gradclinic.course import Course, CourseError
from gradclinic.grading.answers import Answer, find_answers
from gradclinic.publishing.verify import Problem

if TYPE_CHECKING:
    from gradclinic.grading.verdict import Verdict


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    refused = 0
    for problem in problems_to_read(course) if arguments.quick else _all_problems(course):
        passing()
        say(str(problem), "code")
        refused += 1
    passing()
    if refused:
        say(f"✗ {refused} to repair.", "bad")
        return 1
    left_out = " as far as reading tells. Without --quick everything is run, too." if arguments.quick else "."
    say(f"✓ Nothing to repair{left_out}", "good")
    return 0


def _all_problems(course: Course) -> Iterator[Problem]:
    yield from problems_to_read(course)
    yield from _graded(course)
    yield from _executed(course)


def _graded(course: Course) -> Iterator[Problem]:
    """The untouched exercise fails, the solution passes, and each answer gets what it is there to get."""
    untouched = find_answers(course)
    solutions = [Answer(lesson, lesson.solution_file, f"{lesson.slug}, the solution") for lesson in course.lessons]
    folder = course.root / "checks" / "answers"
    others = find_answers(course, folder) if any(folder.glob("*/*.py")) else []
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


def _executed(course: Course) -> Iterator[Problem]:
    """What the lessons and the claims say against what their programs print."""
    try:
        from gradclinic.publishing.cache import claim_results, executed_lessons

        for lesson in executed_lessons(course, passing):
            yield from lesson.problems
        yield from claim_results(course, passing)[1]
    except ImportError as error:
        raise CourseError(
            f"Running the lessons needs {error.name}: install `gradclinic[site]`, or leave this out with --quick."
        ) from None
    except CourseError as error:
        yield from_error(error, course.root / "lessons", "Repair this, then check again.")
