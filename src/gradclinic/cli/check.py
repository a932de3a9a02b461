"""`gradclinic check`: verdicts on the learner's files, or on others, as words or as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from gradclinic.cli.bar import show_end
from gradclinic.cli.common import open_course
from gradclinic.cli.console import note, passing, say, shown
from gradclinic.course import Course, CourseError, Lesson
from gradclinic.grading.answers import Answer, find_answers
from gradclinic.progress import Progress

if TYPE_CHECKING:
    from gradclinic.grading.judge import Judge
    from gradclinic.grading.verdict import Verdict


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    lessons = [course.find(name) for name in dict.fromkeys(arguments.ids)] or None
    answers = find_answers(course, arguments.answers, lessons)
    passing("importing PyTorch…")
    from gradclinic.grading.judge import Judge  # imports torch

    verdicts = []
    with Judge(in_process=arguments.in_process) as judge:
        for verdict in graded(judge, answers, arguments.seed):
            if not arguments.json:
                show(verdict)
            remember(verdict)
            verdicts.append(verdict)
    if lessons and len(lessons) == 1 and answers[0].own:
        stand_at(lessons[0])
    if arguments.json:
        print(json.dumps([verdict.row() for verdict in verdicts], indent=2))
    else:
        with tolerant():
            _sum_up(course, verdicts)
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def graded(judge: Judge, answers: Sequence[Answer], seed: int | None = None) -> Iterator[Verdict]:
    """One verdict after the other, with a counter on a terminal."""
    for number, answer in enumerate(answers, 1):
        passing(f"[{number}/{len(answers)}] {answer.label}")
        verdict = judge.grade(answer, seed=seed)
        passing()
        yield verdict


def remember(verdict: Verdict) -> None:
    """Notes it if the learner's own file passed."""
    if verdict.passed and verdict.answer.own:
        with tolerant():
            Progress(verdict.answer.lesson.root).mark_passed(verdict.answer.lesson)


def stand_at(lesson: Lesson) -> None:
    """Makes it the current exercise."""
    with tolerant():
        Progress(lesson.root).stand_at(lesson)


@contextmanager
def tolerant() -> Iterator[None]:
    """Around the record of progress: one that is damaged or cannot be written is told of once, and costs no verdict."""
    try:
        yield
    except CourseError as error:
        _note_once(str(error))


_note_once = cache(note)


def show(verdict: Verdict) -> None:
    """The verdict in words."""
    from gradclinic.grading.feedback import render

    for line in render(verdict):
        say(line.text, line.style)
    say()


def show_briefly(verdict: Verdict) -> None:
    """The verdict in one line."""
    mark, style = ("✓", "good") if verdict.passed else ("✗", "bad")
    say(f"{mark} {verdict.answer.label}", style, (f"  {verdict.cause or ''}", "dim"))


def _sum_up(course: Course, verdicts: Sequence[Verdict]) -> None:
    if len(verdicts) > 1:
        right = sum(verdict.passed for verdict in verdicts)
        say(f"{right} of {len(verdicts)} pass.", "good" if right == len(verdicts) else "plain")
    if not any(verdict.answer.own and verdict.passed for verdict in verdicts):
        return
    following = Progress(course.root).next_lesson(course)
    if following:
        say(f"Next: {following.slug}", "title", (f"  {shown(following.exercise_file)}", "plain"))
    else:
        show_end(course)
