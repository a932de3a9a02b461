"""Results as Gradescope's platform reads them.

Fields, their types and the four words of visibility: "Autograder Specifications", section "Output format",
gradescope-autograders.readthedocs.io/en/latest/specs (also GitHub gradescope/autograder_samples, docs/specs.md). The
copy that could be read in whole is older than `status`, `output_format` and `name_format`: those are taken from that
page's example as many public autograders quote it ("status": "passed", see "Test case status"; "output_format": "text",
see "Output String Formatting").
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gradclinic.classroom.gradescope import gradescope
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.submission import Problem

from .small_class import HOSTILE, NEVER, check, results, right, row

VISIBILITY = {"hidden", "after_due_date", "after_published", "visible"}
TOP = {
    "score": float,
    "execution_time": float,
    "output": str,
    "output_format": str,
    "visibility": str,
    "stdout_visibility": str,
    "extra_data": dict,
    "tests": list,
}
TEST = {
    "score": float,
    "max_score": float,
    "status": str,
    "name": str,
    "name_format": str,
    "number": str,
    "output": str,
    "output_format": str,
    "tags": list,
    "visibility": str,
}


def read(made: Results, learner: str = "ada") -> dict[str, Any]:
    """The file, after the rules of the specification have been held against it."""
    told: dict[str, Any] = json.loads(gradescope(made, Learner(learner)))
    assert {name: type(value) for name, value in told.items()} == TOP
    assert told["stdout_visibility"] == "hidden"
    for test in told["tests"]:
        assert {name: type(value) for name, value in test.items()} == TEST
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] in VISIBILITY
        assert test["output_format"] == test["name_format"] == "text"
        assert 0 <= test["score"] <= test["max_score"]
        assert all(isinstance(tag, str) for tag in test["tags"])
    assert told["score"] == sum(test["score"] for test in told["tests"])
    return told


def test_a_test_per_check_told_literally() -> None:
    told = read(results(right("ada", late=True), row("ada", "slope", NEVER), right("ben")))
    assert (told["score"], told["execution_time"]) == (2.0, 0.5)
    assert told["output"] == "1 of 2 exercises right.\ndouble: handed in late."
    assert told["extra_data"] == {"isolation": "strict", "course": "Gradient Clinic", "torch": "2.13.0"}
    first, second, third = told["tests"]
    assert first == {
        "name": "double: test_a_row",
        "name_format": "text",
        "number": "1.1",
        "score": 1.0,
        "max_score": 1.0,
        "status": "passed",
        "output": "1 of 1 points",
        "output_format": "text",
        "visibility": "visible",
        "tags": ["double"],
    }
    assert (second["number"], second["name"]) == ("1.2", "double: test_a_table")
    assert (third["number"], third["score"], third["max_score"], third["status"]) == ("2.1", 0.0, 3.0, "failed")
    assert third["tags"] == ["slope", "no_backward"]
    assert third["output"].startswith(
        "0 of 3 points\n"
        "  test_the_slope: the slope is None\n"
        "  cause: no_backward - No backward pass has put a gradient there yet\n"
        "  exercise.py:4\n"
        "    return w.grad\n"
        "  got       None\n"
        "  expected  1.5, 2\n"
    )


def test_what_was_not_handed_in_is_one_test_that_failed() -> None:
    told = read(results(right("ada")))
    assert [(test["number"], test["score"], test["max_score"]) for test in told["tests"]] == [
        ("1.1", 1.0, 1.0),
        ("1.2", 1.0, 1.0),
        ("2", 0.0, 3.0),
    ]
    assert told["tests"][2]["output"] == "Nothing was handed in for this exercise."


def test_what_was_handed_in_and_refused_is_not_called_missing() -> None:
    told = read(results(right("ada"), problems=(Problem("ada", "ada/slope.py", "It is empty.", "slope"),)))
    assert told["tests"][2]["output"] == "No answer to this exercise could be graded."
    assert "Not graded: ada/slope.py: It is empty." in told["output"]


def test_nothing_of_another_learner_is_told() -> None:
    made = results(right("ada"), row("ben", "slope", NEVER), problems=(Problem("ben", "ben/x", "odd"),))
    assert "ben" not in json.dumps(read(made))


def test_problems_are_told_to_whom_they_concern() -> None:
    told = read(results(right("ada"), problems=(Problem("ada", "ada/a.txt", "only .py is read"),)))
    assert told["output"].endswith("\nNot graded: ada/a.txt: only .py is read")


def test_hostile_text_is_plain_text_in_ascii() -> None:
    failed = check(HOSTILE, False, message=HOSTILE, got=HOSTILE, prints=HOSTILE, cause="wrong_value")
    told = read(results(row("ada", "double", failed), problems=(Problem("ada", HOSTILE, HOSTILE),)))
    for text in (told["output"], told["tests"][0]["output"], told["tests"][0]["name"]):
        assert all(character.isprintable() or character == "\n" for character in text)


@settings(deadline=None)
@given(st.text(alphabet=st.characters()))
def test_any_text_keeps_to_the_rules(text: str) -> None:
    failed = check(text, False, message=text, got=text, expected=text, warnings=[text], prints=text, cause="exception")
    read(results(row("ada", "double", failed, origin=text)))
