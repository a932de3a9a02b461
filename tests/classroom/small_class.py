"""A class as `Results`, made by hand, for the tests of what is written about it."""

from __future__ import annotations

from typing import Any

from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Problem

EXERCISES = ("double", "slope")
POSSIBLE = {"double": 2.0, "slope": 3.0}
# text that does something wherever it is not escaped: Markdown, HTML, XML, spreadsheets, terminals
HOSTILE = (
    "=1+1 ``` ~~~ </pre><script>alert(1)</script> ]]> \x1b[31m \x00 \u202e \ud800 [x](javascript:y) `code` \n# Title"
)


def check(name: str, passed: bool = True, **told: Any) -> dict[str, Any]:
    """A row of a check as the grader tells it."""
    row: dict[str, Any] = {
        "name": name,
        "state": "passed" if passed else "failed",
        "cause": None,
        "root": None,
        "message": "",
        "location": None,
        "got": "",
        "expected": "",
        "function": "",
        "warnings": [],
        "prints": "",
        "remarks": [],
        "passed": passed,
        "possible": 1.0,
    }
    row |= told
    return {"points": row["possible"] if passed else 0.0, **row}


NEVER = check(
    "test_the_slope",
    False,
    cause="no_backward",
    message="the slope is None",
    location={"file": "exercise.py", "line": 4, "source": "    return w.grad", "column": None, "end_column": None},
    got="None",
    expected="1.5, 2",
    possible=3.0,
)


def row(learner: str, exercise: str, *checks: dict[str, Any], **told: Any) -> Row:
    """A graded answer with these checks."""
    failed = next((one for one in checks if not one["passed"]), None)
    made: dict[str, Any] = {
        "passed": failed is None,
        "points": sum(one["points"] for one in checks),
        "possible": sum(one["possible"] for one in checks),
        "cause": failed["cause"] if failed else None,
        "root": failed["root"] if failed else None,
        "isolation": "strict",
        "seconds": 0.25,
        "key": "k",
        "origin": f"{learner}/exercise.py",
    }
    return Row(learner=learner, exercise=exercise, checks=list(checks), **made | told)


def results(*rows: Row, learners: tuple[Learner, ...] = (), problems: tuple[Problem, ...] = ()) -> Results:
    """Results of the two exercises; without learners those of the rows."""
    known = learners or tuple(Learner(name) for name in sorted({one.learner for one in rows}))
    facts = {"course": "Gradient Clinic", "torch": "2.13.0"}
    ordered = tuple(sorted(rows, key=lambda one: one.order))
    return Results(EXERCISES, POSSIBLE, known, ordered, problems, facts)


def right(learner: str, exercise: str = "double", **told: Any) -> Row:
    """An answer that passes: two checks of one point, or one of three."""
    checks = [check("test_a_row"), check("test_a_table")]
    return row(
        learner, exercise, *(checks if exercise == "double" else [check("test_the_slope", possible=3.0)]), **told
    )
