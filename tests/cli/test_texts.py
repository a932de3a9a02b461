"""list, the status screen, hint, solution: what a learner reads, and progress behind it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Clinic


def passed(clinic: Clinic, *ids: str) -> None:
    folder = clinic.root / ".gradclinic"
    folder.mkdir(exist_ok=True)
    (folder / "progress.json").write_text(json.dumps({"passed": dict.fromkeys(ids, "2026-01-02")}))


def test_list_shows_state_place_and_minutes(clinic: Clinic) -> None:
    passed(clinic, "double")
    result = clinic.run("list")
    assert result.returncode == 0
    assert [line.rstrip() for line in result.stdout.splitlines()] == [
        "  ✓ 01 double  passed 2026-01-02",
        "▸   02 slope",
        "    03 half",
        "",
        "1 of 3 passed. The arrow shows where you are.",
    ]


def test_list_shows_minutes_of_what_is_to_do(clinic: Clinic) -> None:
    assert "▸   01 double  15 min" in clinic.run("list").stdout


def test_status_on_a_pipe_names_file_and_commands_and_ends(clinic: Clinic) -> None:
    result = clinic.run()
    assert result.returncode == 0
    for words in (
        "0 of 3 passed",
        "Next: 01_double",
        "What is twice the value?",
        "gradclinic read double",
        "lessons/01_double/exercise.py",
        "gradclinic check double",
        "gradclinic hint double (0 of 3 seen)",
    ):
        assert words in result.stdout


def test_status_says_how_to_call_it_where_the_shell_does_not_know_it(clinic: Clinic) -> None:
    beside = Path(sys.executable).with_name("gradclinic")
    nowhere = clinic.run(PATH=str(clinic.root)).stdout
    assert "Your shell does not know `gradclinic`" in nowhere
    assert str(beside) in nowhere or os.path.relpath(beside, clinic.root) in nowhere
    assert "Your shell" not in clinic.run(PATH=str(beside.parent)).stdout


def test_status_after_the_last_exercise(clinic: Clinic) -> None:
    passed(clinic, "double", "slope", "half")
    result = clinic.run()
    assert result.returncode == 0
    assert "All 3 exercises are passed" in result.stdout


def test_status_writes_nothing(clinic: Clinic) -> None:
    clinic.run()
    clinic.run("list")
    assert not (clinic.root / ".gradclinic").exists()


def test_each_hint_shows_one_more_step(clinic: Clinic) -> None:
    steps = ["Look at the return line.", "Which operation doubles?", "return 2 * x"]
    for seen in (1, 2, 3, 3):
        result = clinic.run("hint", "double")
        assert result.returncode == 0
        assert [step in result.stdout for step in steps] == [number < seen for number in range(3)]
        assert ("gradclinic solution double --give-up" in result.stdout) == (seen == 3)
    assert "(3 of 3 seen)" in clinic.run().stdout


def test_the_solution_waits_for_a_pass(clinic: Clinic) -> None:
    result = clinic.run("solution", "double")
    assert (result.returncode, result.stdout) == (1, "")
    assert "gradclinic hint double" in result.stderr
    assert "--give-up" in result.stderr


def test_the_solution_after_passing_or_giving_up_is_the_file(clinic: Clinic) -> None:
    file = (clinic.root / "solutions" / "01_double.py").read_text()
    assert clinic.run("solution", "1", "--give-up").stdout == file
    passed(clinic, "double")
    assert clinic.run("solution", "1").stdout == file


def test_no_solution_anywhere_is_said(clinic: Clinic) -> None:
    (clinic.root / "solutions" / "03_half.py").unlink()
    result = clinic.run("solution", "3", "--give-up")
    assert result.returncode == 2
    assert "has no solution of half" in result.stderr
