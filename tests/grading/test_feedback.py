"""What a learner reads: short, within 80 columns, with the line, the cause and the next step, and no terminal codes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gradclinic.causes import CAUSES
from gradclinic.grading import feedback
from gradclinic.grading.verdict import CheckRow, Location, Verdict

if TYPE_CHECKING:
    from .conftest import Grader


def shown(verdict: Verdict) -> str:
    """The feedback with the answer's own folder, whose length is no fault of ours, made short."""
    lines = feedback.render(replace(verdict, checks=tuple(map(placed, verdict.checks))))
    assert [line.text for line in lines if len(line.text) > 80] == []
    assert {line.style for line in lines} <= {"good", "bad", "cause", "code", "dim", "plain"}
    return "\n".join(line.text for line in lines)


def placed(row: CheckRow) -> CheckRow:
    return row if row.location is None else replace(row, location=replace(row.location, file=Path("exercise.py")))


NEVER = """\
def slope(w, x):
    w = w.clone().requires_grad_()
    loss = ((w * x) ** 2).sum()
    return w.grad
"""


def test_a_failure_in_full(grade: Grader) -> None:
    assert (
        shown(grade(NEVER, seed=7))
        == """\
✗ 02_slope: 1 of 1 checks fail
  test_the_slope: the slope is None
  cause: no_backward - No backward pass has put a gradient there yet
  exercise.py:4
    return w.grad
  got       None
  expected  EXPECTED
  next: Call `loss.backward()` once, on the loss, and read `.grad` after it.
  hint: gradclinic hint slope
  seed 7, isolation: fork""".replace("EXPECTED", grade(NEVER, seed=7).checks[0].expected)
    )


def test_expected_and_got_are_the_first_numbers_and_the_shape(grade: Grader) -> None:
    row = grade("def double(x):\n    return x * 0 + 1.5\n", "double").checks[1]
    assert row.got == "1.5, 1.5, 1.5, 1.5, ... (shape 4x2)"
    assert row.expected.endswith(", ... (shape 4x2)")


def test_further_failures_take_one_line_each(grade: Grader) -> None:
    text = shown(grade("def double(x):\n    return 3 * x\n", "double"))
    assert text.splitlines()[0] == "✗ 01_double: 3 of 3 checks fail"
    assert text.splitlines()[-3:] == [
        "  ✗ test_a_table [wrong_scale]: the result has wrong numbers",
        "  ✗ test_a_block [wrong_scale]: the result has wrong numbers",
        "  seed 1, isolation: fork",
    ]
    assert text.count("next: ") == text.count("hint: ") == text.count("expected  ") == 1


def test_a_pass_takes_one_line(grade: Grader) -> None:
    assert shown(grade("def double(x):\n    return 2 * x\n", "double")) == "✓ 01_double: all 3 checks pass"


def test_an_error_shows_its_line_with_a_caret_below_the_expression(grade: Grader) -> None:
    text = "def double(x):\n    é, y = 'ö', x; return é * 0, y + x[5, 6, 7]\n"
    lines = shown(grade(text, "double")).splitlines()
    source = lines.index("    é, y = 'ö', x; return é * 0, y + x[5, 6, 7]")
    assert lines[source - 1] == "  exercise.py:2"
    assert lines[source + 1] == "                                     ^^^^^^^^^^"
    assert lines[1:3] == [
        "  test_a_row: double raised IndexError: too many indices for tensor of",
        "    dimension 1",
    ]


def test_a_syntax_error_shows_file_line_and_caret(grade: Grader) -> None:
    lines = shown(grade("def double(x):\n    return 2 * (x\n", "double")).splitlines()
    assert lines[1:6] == [
        "  test_a_row: this is not Python yet: '(' was never closed",
        "  cause: syntax_error - Python cannot read the file",
        "  exercise.py:2",
        "    return 2 * (x",
        "               ^",
    ]
    assert "  ✗ test_a_table: not reached: the file is not Python yet" in lines


def test_warnings_of_pytorch_are_shown_with_their_line_and_not_scored(grade: Grader) -> None:
    text = """\
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = w * x
            nothing = product.grad
            (product ** 2).sum().backward()
            return w.grad
        """
    verdict = grade(text)
    assert verdict.passed
    warned = [line for line in shown(verdict).splitlines() if "warning" in line]
    assert warned == ["  warning (not scored), line 4: UserWarning: The .grad attribute of a Tenso..."]


def test_prints_are_shown_without_terminal_codes_and_in_part(grade: Grader) -> None:
    text = """\
        def double(x):
            for n in range(9):
                print(f"\\x1b[31mline {n}\\x1b]0;title\\x07")
            return 3 * x
        """
    said = shown(grade(text, "double"))
    assert "\x1b" not in said
    assert "\x07" not in said
    assert [line.rstrip() for line in said.splitlines() if "printed" in line] == [
        "  printed | [31mline 0 ]0;title",
        "  printed |  [31mline 1 ]0;title",
        "  printed |  [31mline 2 ]0;title",
        "  printed | ... 6 more lines",
    ]


@pytest.mark.parametrize(
    "text",
    ["\\x1b[31mred\\x07", "\\udc80", "one\\ntwo", "word " * 200, "x" * 500, "\\u202e"],
    ids=["codes", "surrogate", "lines", "words", "one long word", "right to left"],
)
def test_an_exceptions_text_can_be_shown_anywhere(grade: Grader, text: str) -> None:
    said = shown(grade(f"def double(x):\n    raise ValueError('{text}')\n", "double"))
    assert all(character.isprintable() for character in said.replace("\n", ""))
    assert said.encode("utf-8")


def test_a_remark_is_shown_with_a_pass(grade: Grader) -> None:
    text = """\
        def slope(w, x):
            w = w.clone().requires_grad_()
            ((w * x) ** 2).sum().backward(retain_graph=True)
            return w.grad
        """
    assert shown(grade(text)).splitlines()[1:] == [
        "  passed, with a remark: line 3: retain_graph=True was not needed; nothing",
        "    goes through this graph again.",
    ]


def test_the_cause_behind_a_symptom_is_named_and_its_fix_given(grade: Grader) -> None:
    text = """\
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = (w * x).detach()
            (product ** 2).sum().backward()
            return w.grad
        """
    lines = shown(grade(text)).splitlines()
    assert "  cause: loss_has_no_graph - Nothing in the loss requires grad" in lines
    assert "  behind it: detached - detach(), detach_() or .data cut it" in lines
    assert any(line.startswith("  next: Take the `detach()` or `.data` off") for line in lines)


def test_a_broken_check_is_the_courses_fault(grade: Grader) -> None:
    verdict = grade(NEVER)
    row = CheckRow("test_x", "broken", message="the check itself is wrong: AssertionError")
    said = shown(replace(verdict, checks=(row,)))
    assert "  This is a fault of the course, not yours. Please report it." in said
    assert "hint" not in said


def test_the_longest_failure_stays_under_fifteen_lines(grade: Grader) -> None:
    text = """\
        def double(x):
            print("a\\nb\\nc\\nd")
            raise ValueError("word " * 100)
        """
    verdict = grade(text, "double")
    row = replace(verdict.checks[0], message="many words " * 100)
    for cause in CAUSES:
        wrong = replace(row, cause=cause, got="1", expected="2")
        raised = replace(row, cause="loss_has_no_graph", root=cause)  # an error has no values to compare
        assert max(len(feedback.failure(one, "double")) for one in (wrong, raised)) < 15
    long = Location(Path("exercise.py"), 3, "    " + "x" * 300, 200, 300)
    assert max(len(line.text) for line in feedback.located(long)) <= 80
