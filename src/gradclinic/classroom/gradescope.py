"""`gradescope/ID/results.json`: a learner's results as Gradescope's autograders tell them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gradclinic.causes import CAUSES
from gradclinic.classroom.feedback_files import words
from gradclinic.classroom.plain import count, number, one_line
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row


def gradescope(results: Results, learner: Learner) -> bytes:
    """The file `results.json`: a test per check, plain text throughout, nothing for others to see.

    The score of all is the sum of the tests' scores. An exercise without an answer is one test that failed.
    """
    tests = [
        test
        for place, exercise in enumerate(results.exercises, 1)
        for test in _tests(results, learner, exercise, place)
    ]
    rows = results.of_learner(learner.id)
    told = {
        "score": round(results.points(learner.id), 6),
        "execution_time": round(sum(row.seconds for row in rows), 3),
        "output": "\n".join(_overall(results, learner, rows)),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {**results.facts, "isolation": "; ".join(sorted({row.isolation for row in rows}))},
        "tests": tests,
    }
    return json.dumps(told, allow_nan=False).encode() + b"\n"


def _overall(results: Results, learner: Learner, rows: list[Row]) -> Iterator[str]:
    right = sum(row.passed for row in rows)
    yield f"{right} of {count(len(results.exercises), 'exercise')} right."
    for row in rows:
        if row.late:
            yield f"{row.exercise}: handed in late."
    for problem in results.refused(learner.id):
        yield one_line(f"Not graded: {problem.origin}: {problem.message}")


def _tests(results: Results, learner: Learner, exercise: str, place: int) -> Iterator[dict[str, Any]]:
    row = results.of(learner.id, exercise)
    if row is None:
        possible, tried = results.possible[exercise], results.tried(learner.id, exercise)
        said = "No answer to this exercise could be graded." if tried else "Nothing was handed in for this exercise."
        yield _test(exercise, str(place), False, 0.0, possible, said, [exercise])
        return
    for part, check in enumerate(row.checks, 1):
        tags = [exercise, *([check["cause"]] if check["cause"] else [])]
        name = one_line(f"{exercise}: {check['name']}")
        output = "\n".join(_output(row, check))
        yield _test(name, f"{place}.{part}", check["passed"], check["points"], check["possible"], output, tags)


def _test(
    name: str, place: str, passed: bool, score: float, most: float, output: str, tags: list[str]
) -> dict[str, Any]:
    return {
        "name": name,
        "name_format": "text",
        "number": place,
        "score": score,
        "max_score": most,
        "status": "passed" if passed else "failed",
        "output": output,
        "output_format": "text",
        "visibility": "visible",
        "tags": tags,
    }


def _output(row: Row, check: dict[str, Any]) -> Iterator[str]:
    yield f"{number(check['points'])} of {number(check['possible'])} points"
    yield from map(one_line, words(row, [check]))
    for name in dict.fromkeys((check["cause"], check["root"])):
        if not check["passed"] and (cause := CAUSES.get(name or "")) is not None:
            yield f"{cause.title}: {cause.explanation}"
