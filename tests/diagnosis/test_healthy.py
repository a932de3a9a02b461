"""Programs with nothing wrong in them: diagnose raises no alarm about any of their tensors and models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path.stem for path in (ROOT / "tests" / "healthy").glob("*.py"))


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """Runs every program in a forked child, traced and not."""
    command = [sys.executable, str(ROOT / "benchmarks" / "diagnosis.py"), "--json", "--what", "healthy"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ran.stdout, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("kind", ["traced", "untraced"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_no_false_alarm(result: dict[str, Any], program: str, kind: str) -> None:
    row = next(row for row in result[kind]["healthy"] if row["program"] == program)
    assert row["alarms"] == []
    assert row["asked"] >= 1
