"""`gradclinic check`: verdicts on the learner's files, or on others, as words or as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from gradclinic.cli.bar import show_end
from gradclinic.cli.common import open_course
from gradclinic.cli.console import note, passing, say, shown
from gradclinic.course import Course, Lesson
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
            remember(verdict)
            if not arguments.json:
                show(verdict)
            verdicts.append(verdict)
    if lessons and len(lessons) == 1 and answers[0].own:
        stand_at(lessons[0])
    if arguments.json:
        print(json.dumps([verdict.row() for verdict in verdicts], indent=2))
    else:
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
        _note_down(Progress.mark_passed, verdict.answer.lesson)


def stand_at(lesson: Lesson) -> None:
    """Makes it the current exercise."""
    _note_down(Progress.stand_at, lesson)


def _note_down(change: Callable[[Progress, Lesson], None], lesson: Lesson) -> None:
    try:
        change(Progress(lesson.root), lesson)
    except OSError as error:  # a course that may only be read is still good for verdicts
        note(f"Your progress cannot be saved: {error.filename}: {error.strerror}.")


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
