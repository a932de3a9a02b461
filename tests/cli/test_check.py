"""check: verdicts in words and as JSON, exit codes, and the progress they leave."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Clinic


def progress(clinic: Clinic) -> dict[str, Any]:
    file = clinic.root / ".gradclinic" / "progress.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def test_all_of_the_learners_files_in_words(clinic: Clinic) -> None:
    clinic.solve("01_double")
    result = clinic.run("check")
    assert (result.returncode, result.stderr) == (1, "")
    assert "✓ 01_double" in result.stdout
    assert "✗ 02_slope" in result.stdout
    assert "cause: no_backward" in result.stdout
    assert "lessons/02_slope/exercise.py:8" in result.stdout
    assert result.stdout.rstrip().splitlines()[-2:] == ["1 of 3 pass.", "Next: 02_slope  lessons/02_slope/exercise.py"]
    assert list(progress(clinic)["passed"]) == ["double"]


def test_the_last_pass_becomes_the_current_exercise_and_shows_the_last_screen(clinic: Clinic) -> None:
    (clinic.root / ".gradclinic").mkdir()
    (clinic.root / ".gradclinic" / "progress.json").write_text(
        '{"passed": {"double": "2026-01-02", "slope": "2026-01-02"}}'
    )
    clinic.solve("03_half")
    result = clinic.run("check", "half")
    assert result.returncode == 0
    assert "All 3 exercises are passed" in result.stdout
    assert progress(clinic)["current"] == "half"


def test_json_is_one_list_with_a_row_per_exercise(clinic: Clinic) -> None:
    clinic.solve("01_double")
    result = clinic.run("check", "1", "slope", "--json", "--seed", "7")
    assert (result.returncode, result.stderr) == (1, "")
    first, second = json.loads(result.stdout)
    assert (first["exercise"], first["answer"], first["passed"], first["cause"]) == ("double", "01_double", True, None)
    assert (second["exercise"], second["passed"], second["cause"]) == ("slope", False, "no_backward")
    assert second["location"]["line"] == 8
    assert second["checks"][0]["name"] == "test_the_slope"
    assert {"isolation", "seconds"} <= set(first)
    assert (first["seed"], second["seed"]) == (7, 7)


def test_other_answers_leave_no_progress(clinic: Clinic) -> None:
    result = clinic.run("check", "--answers", "solutions")
    assert result.returncode == 0
    assert "3 of 3 pass." in result.stdout
    assert progress(clinic) == {}


def test_one_other_file(clinic: Clinic) -> None:
    result = clinic.run("check", "--answers", "checks/answers/01_double/wrong_three.py")
    assert result.returncode == 1
    assert "01_double[wrong_three]" in result.stdout
    assert "cause: wrong_scale" in result.stdout


def test_a_file_that_is_no_python_or_empty_or_missing_is_a_verdict(clinic: Clinic) -> None:
    clinic.exercise("01_double").write_text("def double(x)\n    return x\n")
    clinic.exercise("02_slope").write_text("")
    clinic.exercise("03_half").unlink()
    result = clinic.run("check")
    assert (result.returncode, result.stderr) == (1, "")
    assert "cause: syntax_error" in result.stdout
    assert "✗ 02_slope" in result.stdout
    assert "✗ 03_half" in result.stdout
    assert result.stdout.rstrip().endswith("0 of 3 pass.")


def test_in_process_prints_straight_through(clinic: Clinic) -> None:
    clinic.exercise("01_double").write_text(
        "# exercise: double\ndef double(x):\n    print('here I am')\n    return 3 * x\n"
    )
    result = clinic.run("check", "1", "--in-process")
    assert result.returncode == 1
    assert "here I am" in result.stdout
    assert "isolation: in-process" in result.stdout


def test_progress_that_cannot_be_saved_costs_no_verdict(clinic: Clinic) -> None:
    clinic.solve("01_double")
    (clinic.root / ".gradclinic").write_text("a file where the folder should be")
    result = clinic.run("check", "1")
    assert result.returncode == 0
    assert "✓ 01_double" in result.stdout
    assert "Your progress cannot be saved" in result.stderr


def test_on_a_terminal_a_counter_is_shown_and_wiped(clinic: Clinic, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    import os

    ours, theirs = pty.openpty()
    with (tmp_path / "out").open("w+") as out:
        command = clinic.command("check", "1")
        subprocess.run(command, cwd=clinic.root, env=clinic.environment(), stdin=theirs, stdout=out, stderr=theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)
    assert "[1/1] 01_double" in shown
    assert shown.endswith("\r\x1b[K")
