"""A learner's file that is missing, unreadable or not Python, or whose functions are not as the exercise had them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gradclinic.grading import feedback
from gradclinic.grading.answers import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from gradclinic.course import Course
    from gradclinic.grading.judge import Judge

    from .conftest import Grader

pytestmark = pytest.mark.usefixtures("nothing_left")
GOOD = b"def double(x):\n    return 2 * x\n"


def states(grade: Grader, text: bytes) -> tuple[str | None, str, list[str]]:
    """Cause and message of the first check, and every check's state; the file and its folder stay as they were."""
    answer = grade.answer(text, "double")
    verdict = grade.judge.grade(answer, seed=1)
    assert answer.file.read_bytes() == text
    assert [path.name for path in answer.file.parent.iterdir()] == ["exercise.py"]  # no __pycache__ either
    shown = "\n".join(line.text for line in feedback.render(verdict))
    assert "Traceback" not in shown
    return verdict.cause, verdict.checks[0].message, [row.state for row in verdict.checks]


@pytest.mark.parametrize(
    "text",
    [GOOD, b"\xef\xbb\xbf" + GOOD, GOOD.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")],
    ids=["plain", "BOM", "CRLF", "BOM and CRLF"],
)
def test_every_common_form_of_a_text_file_is_graded(grade: Grader, text: bytes) -> None:
    assert states(grade, text) == (None, "", ["passed"] * 3)


NUL = "exercise.py holds NUL bytes: is it a text file? Save it as UTF-8"
UNREADABLE = [
    (b"", "not_started", "exercise.py is empty: `gradclinic reset double` brings it back"),
    (b" \n\t\n", "not_started", "exercise.py is empty: `gradclinic reset double` brings it back"),
    (b"# fine\n# caf\xe9\n" + GOOD, "not_utf8", "exercise.py, line 2: not UTF-8 text. Save the file as UTF-8"),
    (GOOD.decode().encode("utf-16"), "not_utf8", NUL),
    (GOOD + b"\0", "not_utf8", NUL),
]


@pytest.mark.parametrize(("text", "cause", "message"), UNREADABLE, ids=["empty", "blank", "latin-1", "utf-16", "NUL"])
def test_a_file_that_cannot_be_read(grade: Grader, text: bytes, cause: str, message: str) -> None:
    assert states(grade, text) == (cause, message, ["failed", "not_reached", "not_reached"])


def test_a_file_that_is_missing(course: Course, judge: Judge, tmp_path: Path) -> None:
    lesson = course.find("double")
    verdict = judge.grade(Answer(lesson, tmp_path / "gone.py", lesson.slug))
    assert (verdict.cause, verdict.checks[0].message) == ("not_started", "gone.py is missing: check the path")
    assert verdict.location is None
    assert [row.state for row in verdict.checks] == ["failed", "not_reached", "not_reached"]


def test_a_folder_in_the_place_of_the_file(course: Course, judge: Judge, tmp_path: Path) -> None:
    lesson = course.find("double")
    verdict = judge.grade(Answer(lesson, tmp_path, lesson.slug))
    assert verdict.cause == "not_started"
    assert verdict.checks[0].message == f"{tmp_path.name} cannot be read: it is no regular file"


NOT_PYTHON = [
    ("def double(x):\n    return 2 * (x\n", "'(' was never closed", 2, 16, "    return 2 * (x"),
    ("def double(x):\n  y = 2\n    return y * x\n", "unexpected indent", 3, 4, "    return y * x"),
    ("def double(x)\n    return 2 * x\n", "expected ':'", 1, 14, "def double(x)"),
    ("def double(x):\nreturn 2 * x\n", "expected an indented block after function definition on line 1", 2, 1, None),
]


@pytest.mark.parametrize(("text", "said", "line", "column", "source"), NOT_PYTHON, ids=[row[1] for row in NOT_PYTHON])
def test_a_file_that_is_not_python(
    grade: Grader, text: str, said: str, line: int, column: int, source: str | None
) -> None:
    assert states(grade, text.encode()) == (
        "syntax_error",
        f"this is not Python yet: {said}",
        ["failed", "not_reached", "not_reached"],
    )
    place = grade(text, "double").location
    assert place is not None
    assert (place.line, place.column) == (line, column)
    assert place.source == source or source is None


OTHER_FUNCTIONS = [
    (
        "def doubel(x):\n    return 2 * x\n",
        "missing_function",
        "the file has no function double; is doubel the one, renamed?",
    ),
    ("import torch\n", "missing_function", "the file has no function double"),
    ("double = 3\n", "missing_function", "the file has no function double"),
    (
        "def double(x, y):\n    return 2 * x\n",
        "wrong_signature",
        "double(x, y) cannot be called with 1 arguments: missing a required argument: 'y'",
    ),
    (
        "def double():\n    return 2\n",
        "wrong_signature",
        "double() cannot be called with 1 arguments: too many positional arguments",
    ),
]


@pytest.mark.parametrize(("text", "cause", "message"), OTHER_FUNCTIONS, ids=[row[2] for row in OTHER_FUNCTIONS])
def test_a_function_that_is_missing_or_takes_other_arguments(
    grade: Grader, text: str, cause: str, message: str
) -> None:
    assert states(grade, text.encode()) == (cause, message, ["failed"] * 3)


@pytest.mark.parametrize("text", ["def double(y):\n    return 2 * y\n", "def double(*args):\n    return 2 * args[0]\n"])
def test_other_names_of_parameters_are_fine(grade: Grader, text: str) -> None:
    assert states(grade, text.encode()) == (None, "", ["passed"] * 3)


NOT_LOADED = [
    ("1 / 0\n", "exception", "the file raised ZeroDivisionError: division by zero", 1),
    ("\nimport nowhere\n", "exception", "the file raised ModuleNotFoundError: No module named 'nowhere'", 2),
    ("import sys\nsys.exit('done')\n", "exited", "the file left the program: sys.exit(done)", 2),
]


@pytest.mark.parametrize(("text", "cause", "message", "line"), NOT_LOADED, ids=[row[1] for row in NOT_LOADED])
def test_a_file_that_raises_when_it_is_loaded(grade: Grader, text: str, cause: str, message: str, line: int) -> None:
    verdict = grade(text, "double")
    assert (verdict.cause, verdict.checks[0].message) == (cause, message)
    assert verdict.location is not None
    assert verdict.location.line == line
