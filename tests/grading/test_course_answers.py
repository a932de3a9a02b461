"""Every answer of the course in this repository gets its verdict: taken from the folders, with no list to maintain."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gradclinic.causes import CAUSES
from gradclinic.course import Course, Lesson
from gradclinic.grading.answers import Answer, find_answers

if TYPE_CHECKING:
    from gradclinic.grading.judge import Judge

COURSE = Course(Path(__file__).parents[2])
ANSWERS = find_answers(COURSE, COURSE.root / "checks" / "answers")
WRONG = [answer for answer in ANSWERS if answer.file.stem.startswith("wrong_")]
RIGHT = [answer for answer in ANSWERS if answer.file.stem.startswith("right_")]
SOLUTIONS = find_answers(COURSE, COURSE.root / "solutions")
SEED = 1  # the same inputs in every run of this suite; other seeds are in the last test

# each reference under 1,000 seeds, in one process for all that are named; prints the label of each that passed them
THOUSAND_SEEDS = """
import sys
from pathlib import Path
from gradclinic.course import find_course
from gradclinic.grading.answers import find_answers
from gradclinic.grading.judge import Judge

root = Path(sys.argv[1])
with Judge(in_process=True) as judge:
    for answer in find_answers(find_course(given=root), root / "solutions"):
        if answer.label in sys.argv[2:]:
            failed = [seed for seed in range(1000) if not judge.grade(answer, seed).passed]
            print(answer.label, "fails for", failed[:5]) if failed else print(answer.label)
"""


def label(value: Answer | Lesson) -> str:
    return value.label if isinstance(value, Answer) else value.slug


@pytest.fixture(scope="module", autouse=True)
def thousand_seeds() -> Iterator[list[subprocess.Popen[str]]]:
    """Started first, so that a second core works on them while the answers are graded."""
    labels = [answer.label for answer in SOLUTIONS]
    halves = labels[::2], labels[1::2]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", THOUSAND_SEEDS, str(COURSE.root)]
    running = [subprocess.Popen([*command, *half], env=env, stdout=subprocess.PIPE, text=True) for half in halves]
    yield running
    for process in running:
        with process:  # waits, and closes the pipe
            process.kill()


@pytest.mark.parametrize("answer", WRONG, ids=label)
def test_a_wrong_answer_fails_for_its_own_reason_at_its_marked_line(judge: Judge, answer: Answer) -> None:
    lines = answer.file.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# expects: ")
    expected = [cause.strip() for cause in lines[0].removeprefix("# expects: ").split(",")]
    assert set(expected) <= CAUSES.keys()
    here = [n for n, line in enumerate(lines, 1) if line.rstrip().endswith("# <- here")]
    verdict = judge.grade(answer, SEED)
    assert [row.name for row in verdict.checks if row.state == "broken"] == []
    assert not verdict.passed
    assert verdict.cause in expected, verdict.first_failure
    assert verdict.location is not None
    assert not here or verdict.location.line in here, verdict.location


@pytest.mark.parametrize("answer", RIGHT + SOLUTIONS, ids=label)
def test_a_right_answer_passes(judge: Judge, answer: Answer) -> None:
    verdict = judge.grade(answer, SEED)
    assert verdict.passed, verdict.first_failure


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=label)
def test_the_untouched_exercise_fails(judge: Judge, lesson: Lesson) -> None:
    verdict = judge.grade(Answer(lesson, lesson.exercise_file, lesson.slug), SEED)
    assert not verdict.passed
    assert {row.state for row in verdict.checks} <= {"passed", "failed"}
    assert verdict.cause in CAUSES


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=label)
def test_an_exercise_has_enough_answers_to_try_its_checks_on(lesson: Lesson) -> None:
    wrong = [answer.file for answer in WRONG if answer.lesson == lesson]
    right = [answer.file for answer in RIGHT if answer.lesson == lesson]
    assert len(wrong) >= 5
    assert len(right) >= 3
    constants = lesson.answers_folder / "wrong_constants.py"
    assert constants.read_text(encoding="utf-8").splitlines()[0] == "# expects: not_computed"


def test_the_folders_hold_the_answers_of_eight_lessons() -> None:
    assert len(COURSE.lessons) == len(SOLUTIONS) == 8
    assert {answer.lesson for answer in ANSWERS} == set(COURSE.lessons)
    assert {answer.file for answer in ANSWERS} == set((COURSE.root / "checks" / "answers").rglob("*.py"))


def test_each_reference_passes_a_thousand_seeds(thousand_seeds: list[subprocess.Popen[str]]) -> None:
    passed = [line for process in thousand_seeds for line in process.communicate()[0].splitlines()]
    assert sorted(passed) == [answer.label for answer in SOLUTIONS]
