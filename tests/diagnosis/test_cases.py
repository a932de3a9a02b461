"""The bank of broken programs: the right cause and line with a trace, and never a false statement."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CASES = sorted(
    f"{path.parent.name}/{path.stem}"
    for folder in ("forum", "github")
    for path in (ROOT / "tests" / "cases" / folder).glob("[!_]*.py")
)


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """Runs every case in a forked child, traced and not."""
    command = [sys.executable, str(ROOT / "benchmarks" / "diagnosis.py"), "--json", "--what", "cases"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ran.stdout, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def rows(result: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {row["case"]: row for row in result[kind]["cases"]}


def test_every_case_is_asked(result: dict[str, Any]) -> None:
    assert len(CASES) == 124
    assert sorted(rows(result, "traced")) == CASES
    assert sorted(rows(result, "untraced")) == CASES


@pytest.mark.parametrize("kind", ["traced", "untraced"])
@pytest.mark.parametrize("case", CASES)
def test_no_statement_is_false(result: dict[str, Any], case: str, kind: str) -> None:
    row = rows(result, kind)[case]
    assert row["false"] == [], row["said"]


@pytest.mark.parametrize("kind", ["traced", "untraced"])
def test_no_statement_about_our_own_programs_is_false(result: dict[str, Any], kind: str) -> None:
    assert len(result[kind]["own"]) >= 80
    assert {row["case"]: (row["false"], row["said"]) for row in result[kind]["own"] if row["false"]} == {}


def test_cause_and_line_are_named_with_a_trace(result: dict[str, Any]) -> None:
    summary = result["traced"]["summary"]
    weak = {row["case"]: row["weak"] for row in result["traced"]["cases"] if row["weak"]}
    assert summary["cause right"] >= 0.9 * summary["in scope"], weak
    assert summary["line right"] >= 0.9 * summary["with a line"], weak
    own = result["traced"]["own summary"]
    weak_of_own = [row["case"] for row in result["traced"]["own"] if row["weak"]]
    assert own["cause right"] >= 0.8 * own["in scope"], weak_of_own
    assert own["line right"] >= 0.8 * own["with a line"], weak_of_own


def test_an_open_answer_names_the_right_cause_among_others(result: dict[str, Any]) -> None:
    """Without a trace most cuts look alike: the answer then lists all causes that fit, or names the symptom."""
    for row in result["untraced"]["cases"] + result["untraced"]["own"]:
        assert not [what for what in row["false"] if "candidates" in what], row


def test_a_trace_of_a_part_of_the_run_leads_to_no_false_statement() -> None:
    """The trace of each of our own programs begins, or ends, before each of its lines in turn."""
    command = [sys.executable, str(ROOT / "benchmarks" / "diagnosis.py"), "--json", "--what", "partial"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ran.stdout, ran.stderr
    assert json.loads(ran.stdout)["partial"] == []
