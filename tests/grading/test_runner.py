"""One runner makes every verdict: seeds, constants, redraws, and checks that are themselves wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from gradclinic.course import Course
from gradclinic.grading.answers import Answer
from gradclinic.grading.verdict import Verdict

if TYPE_CHECKING:
    from gradclinic.grading.judge import Judge

    from .conftest import Grader

TELLS_INPUTS = "def double(x):\n    print(x.tolist())\n    return 2 * x\n"
DRAWS = "import random, torch\ndef double(x):\n    print(torch.rand(1).item(), random.random())\n    return 2 * x\n"
IDENTITY = "def f(x):\n    return x\n"


def verdict_of(judge: Judge, folder: Path, check: str, answer: str = IDENTITY, seed: int = 1) -> Verdict:
    """Grades `answer` by a check file that holds `check`."""
    course = folder / "course"
    for name in ("lessons", "checks"):
        (course / name).mkdir(parents=True)
    head = "import torch\nfrom gradclinic.grading.checking import *\n"
    (course / "checks" / "test_01_f.py").write_text(head + dedent(check))
    (folder / "f.py").write_text(answer)
    lesson = Course(course).find("f")
    return judge.grade(Answer(lesson, folder / "f.py", lesson.slug), seed)


@pytest.mark.parametrize("text", [TELLS_INPUTS, DRAWS], ids=["inputs", "the child's random numbers"])
def test_a_seed_repeats_everything_and_another_changes_it(grade: Grader, text: str) -> None:
    first, again, other = (grade(text, "double", seed) for seed in (5, 5, 6))
    assert first.checks == again.checks
    assert len({row.prints for verdict in (first, other) for row in verdict.checks}) == 6


def test_without_a_seed_the_inputs_are_fresh_and_the_seed_is_told(grade: Grader) -> None:
    answer = grade.answer(TELLS_INPUTS, "double")
    first, second = grade.judge.grade(answer), grade.judge.grade(answer)
    assert first.seed != second.seed
    assert first.checks[0].prints != second.checks[0].prints
    assert grade.judge.grade(answer, first.seed).checks == first.checks


def test_the_childs_random_numbers_are_not_the_judges(grade: Grader) -> None:
    text = "import torch\ndef double(x):\n    print(torch.randn(3).tolist() == x.tolist())\n    return 2 * x\n"
    assert [row.prints for row in grade(text, "double").checks] == ["False\n"] * 3


@pytest.mark.parametrize("value", ["torch.tensor([1.0, 2.0, 3.0])", "[1.0, 2.0, 3.0]", "x.new_ones(3)", "x * 0 + 7"])
def test_the_same_answer_for_two_inputs_is_not_computed(grade: Grader, value: str) -> None:
    assert grade(f"import torch\ndef double(x):\n    return {value}\n", "double").cause == "not_computed"


def test_zeros_are_their_own_story(grade: Grader) -> None:
    assert grade("def slope(w, x):\n    return x.abs() * -0.0\n").cause != "not_computed"


def test_a_check_whose_own_assert_fails_is_no_fault_of_the_learners(judge: Judge, tmp_path: Path) -> None:
    check = """
        def test_one(exercise):
            x = normal(3)
            assert 1 + 1 == 3, "the closed form is wrong"
        def test_two(exercise):
            expect("it", exercise.f(2.0), 2.0)
        def test_three(exercise):
            expect("it", exercise.f(2.0), {}["nothing"])
        """
    verdict = verdict_of(judge, tmp_path, check)
    assert [row.state for row in verdict.checks] == ["broken", "passed", "broken"]
    assert verdict.checks[0].message == "the check itself is wrong: AssertionError: the closed form is wrong"
    assert verdict.checks[2].message == "the check itself is wrong: KeyError: 'nothing'"
    assert [row.cause for row in verdict.checks] == [None] * 3
    assert not verdict.passed


def test_inputs_are_drawn_until_they_tell_right_from_wrong(judge: Judge, tmp_path: Path) -> None:
    check = """
        draws = []
        def test_positive(exercise):
            x = normal()
            draws.append(x.item())
            redraw_unless(x > 1.0)
            expect("it", exercise.f(x), x)
            expect("draws", exercise.f(len(set(draws))), len(draws))
        """
    verdict = verdict_of(judge, tmp_path, check)
    assert verdict.passed, verdict.checks


def test_a_check_that_no_draw_satisfies_is_broken_after_fifty(judge: Judge, tmp_path: Path) -> None:
    check = """
        draws = []
        def test_never(exercise):
            draws.append(1)
            x = exercise.f(1.0)
            if len(draws) > 50:
                raise SystemExit("a 51st draw")
            expect("it", x, 1.0, {"wrong_scale": 1.001})
        """
    verdict = verdict_of(judge, tmp_path, check)
    assert verdict.checks[0].state == "broken"
    assert verdict.checks[0].message == (
        "the check itself is wrong: AssertionError: "
        "no inputs in 50 draws tell the right answer from the named wrong ones"
    )


def test_no_checks_are_no_pass(judge: Judge, tmp_path: Path) -> None:
    verdict = verdict_of(judge, tmp_path, "helper = 3\n")
    assert (verdict.checks, verdict.passed, verdict.cause) == ((), False, None)


def test_a_check_may_call_several_times_in_one_child(judge: Judge, tmp_path: Path) -> None:
    check = """
        def test_counts(exercise):
            expect("first", exercise.f(1.0), 1)
            expect("second", exercise.f(1.0), 2)
        def test_counts_anew(exercise):
            expect("first", exercise.f(1.0), 1)
        """
    assert verdict_of(judge, tmp_path, check, "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n\n").passed


def test_arguments_of_every_plain_kind_reach_the_function(judge: Judge, tmp_path: Path) -> None:
    check = """
        def test_kinds(exercise):
            got = exercise.f({"a": [1, (2.5, None)], "b": torch.ones(2, 2).t(), "c": "text", "d": True})
            expect("it", got, [1, 2.5, 4.0, 1])
        """
    answer = """if True:
        def f(v):
            one, (two, none) = v["a"]
            return one, two, v["b"].sum(), int(none is None and v["d"] is True and v["c"] == "text")
        """
    verdict = verdict_of(judge, tmp_path, check, answer)
    assert verdict.passed, verdict.checks


def test_the_row_of_a_verdict(grade: Grader) -> None:
    verdict = grade("def double(x):\n    return 3 * x\n", "double", seed=4)
    row = verdict.row()
    assert (row["exercise"], row["answer"]) == ("double", "01_double")
    assert (row["passed"], row["cause"]) == (False, "wrong_scale")
    assert row["location"] == {
        "file": str(grade.folder / "exercise.py"),
        "line": 1,
        "source": "def double(x):",
        "column": None,
        "end_column": None,
    }
    assert {"name": "test_a_row", "passed": False, "cause": "wrong_scale"}.items() <= row["checks"][0].items()
    assert (row["isolation"], row["seed"]) == ("fork", 4)


def test_the_cause_is_that_of_the_first_failing_check(grade: Grader) -> None:
    text = "def double(x):\n    return [None, 2 * x, 3 * x, x[0]][x.ndim]\n"
    verdict = grade(text, "double")
    assert [row.state for row in verdict.checks] == ["passed", "failed", "failed"]
    assert (verdict.cause, verdict.checks[2].cause) == ("wrong_scale", "wrong_shape")
    assert replace(verdict, checks=verdict.checks[:1]).passed


def test_what_passed_with_an_oddity_gets_a_remark(grade: Grader) -> None:
    text = """\
        def slope(w, x):
            w = w.clone().requires_grad_()
            ((w * x) ** 2).sum().backward(retain_graph=True)
            return w.grad
        """
    verdict = grade(text)
    assert verdict.passed
    assert verdict.checks[0].remarks == (
        "line 3: retain_graph=True was not needed; nothing goes through this graph again.",
    )


def test_the_judges_own_time_is_not_the_learners(impatient_judge: Judge, tmp_path: Path) -> None:
    check = """
        import time
        def test_slow_to_prepare(exercise):
            time.sleep(1.7)
            expect("it", exercise.f(2.0), 2.0)
            time.sleep(1.7)
            expect("it", exercise.f(3.0), 3.0)
        """
    assert impatient_judge.limits.seconds == 1.5
    assert verdict_of(impatient_judge, tmp_path, check).passed
