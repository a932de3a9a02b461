"""`junit.xml`: a test suite per learner, a test case per check, for Jenkins and the like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

from gradclinic.classroom.plain import number, one_line
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row


def junit(results: Results) -> bytes:
    """The file, valid for the schema of Jenkins's xunit plugin (junit-10.xsd) whatever text learners chose.

    A check that does not hold is a failure with its cause as the type, a check that is itself wrong an error, an
    exercise without an answer is skipped. Time is measured by exercise: the first of its checks carries it.
    """
    root = ET.Element("testsuites")
    for place, learner in enumerate(results.learners):
        root.append(_suite(results, learner, place))
    ET.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n%s\n' % ET.tostring(root, encoding="unicode").encode()


def _suite(results: Results, learner: Learner, place: int) -> ET.Element:
    rows = results.of_learner(learner.id)
    cases = [case for exercise in results.exercises for case in _cases(exercise, results.of(learner.id, exercise))]
    counts = {
        "tests": len(cases),
        "failures": _holding(cases, "failure"),
        "errors": _holding(cases, "error"),
        "skipped": _holding(cases, "skipped"),
        "id": place,
    }
    told = {name: str(count) for name, count in counts.items()}
    seconds = f"{sum(row.seconds for row in rows):.3f}"
    suite = ET.Element("testsuite", {"name": _legal(learner.id) or "(no id)", **told, "time": seconds})
    properties = ET.SubElement(suite, "properties")
    facts = {"points": number(results.points(learner.id)), "most": f"{results.most:g}", **results.facts}
    for name, value in facts.items():
        ET.SubElement(properties, "property", {"name": _legal(name), "value": _legal(value)})
    suite.extend(cases)
    return suite


def _holding(cases: list[ET.Element], outcome: str) -> int:
    return sum(case.find(outcome) is not None for case in cases)


def _cases(exercise: str, row: Row | None) -> Iterator[ET.Element]:
    if row is None:
        case = ET.Element("testcase", {"classname": exercise, "name": "handed_in", "time": "0.000"})
        ET.SubElement(case, "skipped", {"message": "nothing was handed in"})
        yield case
        return
    for place, check in enumerate(row.checks):
        seconds = "0.000" if place else f"{row.seconds:.3f}"
        case = ET.Element("testcase", {"classname": exercise, "name": _legal(check["name"]), "time": seconds})
        if not check["passed"]:
            outcome = "error" if check["state"] == "broken" else "failure"
            kind = check["cause"] or check["state"]
            told = ET.SubElement(case, outcome, {"type": _legal(kind), "message": _legal(check["message"])})
            told.text = _legal("\n".join(_details(check)))
        yield case


def _details(check: dict[str, Any]) -> Iterator[str]:
    if check["location"]:
        yield f"line {check['location']['line']}: {check['location']['source'].strip()}"
    if check["got"] or check["expected"]:
        yield f"got {check['got']}, expected {check['expected']}"


def _legal(text: str) -> str:
    """What XML 1.0 allows, without the marks and codes that a terminal or a page would obey."""
    return "\n".join(map(one_line, text.split("\n")))
