"""The record of progress: two at once, damage of every kind, and courses that may only be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Clinic

_PASS_MANY = """
import sys
from pathlib import Path
from gradclinic.course import Lesson
from gradclinic.progress import Progress
root, name = Path(sys.argv[1]), sys.argv[2]
input("ready")  # all start at the same moment
for number in range(60):
    Progress(root).mark_passed(Lesson(root, f"01_{name}_{number}"))
"""


def record(clinic: Clinic, text: str) -> None:
    (clinic.root / ".gradclinic").mkdir(exist_ok=True)
    (clinic.root / ".gradclinic" / "progress.json").write_text(text)


def stored(clinic: Clinic) -> dict[str, object]:
    return dict(json.loads((clinic.root / ".gradclinic" / "progress.json").read_text()))


def test_two_commands_at_the_same_moment_lose_no_pass(clinic: Clinic) -> None:
    names = ("one", "two", "three")
    command = [sys.executable, "-c", _PASS_MANY, str(clinic.root)]
    processes = [subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for name in names]
    for process in processes:
        assert process.stdout
        assert process.stdout.read(5) == b"ready"
    for process in processes:
        assert process.stdin
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0, 0]
    passed = stored(clinic)["passed"]
    assert isinstance(passed, dict)
    assert passed.keys() == {f"{name}_{number}" for name in names for number in range(60)}


def test_what_another_version_wrote_is_kept(clinic: Clinic) -> None:
    record(clinic, '{"streak": {"days": 3}, "hints": {"double": 1}}')
    assert clinic.run("hint", "double").returncode == 0
    assert stored(clinic) == {"streak": {"days": 3}, "passed": {}, "hints": {"double": 2}, "current": ""}


@pytest.mark.parametrize(
    "damage",
    [
        "{",
        "[]",
        "7",
        '{"hints": {"double": Infinity}}',
        "[" * 200_000,
        '{"passed": 1e999}',
        '{"hints": {"double": {}}}',
    ],
    ids=["cut off", "list", "number", "infinite", "nested", "no mapping", "no number"],
)
def test_damage_costs_no_verdict_and_is_told_of_once(clinic: Clinic, damage: str) -> None:
    record(clinic, damage)
    for slug in ("01_double", "02_slope"):
        clinic.solve(slug)
    result = clinic.run("check", "1", "2")
    assert result.returncode == 0
    assert "✓ 01_double" in result.stdout
    assert "2 of 2 pass." in result.stdout
    assert result.stderr.count("progress.json cannot be read") == 1
    assert "Traceback" not in result.stderr
    assert (clinic.root / ".gradclinic" / "progress.json").read_text() == damage
    listed = clinic.run("list")
    assert (listed.returncode, listed.stdout) == (2, "")
    assert "progress.json cannot be read" in listed.stderr


def test_json_comes_whole_beside_a_damaged_record(clinic: Clinic) -> None:
    record(clinic, "{")
    clinic.solve("01_double")
    result = clinic.run("check", "1", "--json")
    assert result.returncode == 0
    assert [row["passed"] for row in json.loads(result.stdout)] == [True]
    assert "progress.json cannot be read" in result.stderr


def test_a_negative_count_of_hints_is_none_seen(clinic: Clinic) -> None:
    record(clinic, '{"hints": {"double": -7}}')
    assert "(0 of 3 seen)" in clinic.run().stdout
    shown = clinic.run("hint", "double").stdout
    assert "Hint 1 of 3" in shown
    assert "Hint 2 of 3" not in shown


def test_a_hint_that_cannot_be_counted_is_shown_all_the_same(clinic: Clinic) -> None:
    (clinic.root / ".gradclinic").write_text("a file where the folder should be")
    result = clinic.run("hint", "double")
    assert result.returncode == 0
    assert "Look at the return line." in result.stdout
    assert "This hint is not counted; all of them are in lessons/01_double/lesson.py" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_damage_while_watching_ends_nothing(clinic: Clinic) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        clinic.command("watch"), cwd=clinic.root, env=clinic.environment(), stdin=theirs, stdout=theirs, stderr=theirs
    )

    def until(text: str) -> str:
        shown = ""
        while text not in shown:
            shown += os.read(ours, 65536).decode()
        return shown

    until("q quit")
    record(clinic, "{")
    clinic.solve("01_double")
    shown = until("q quit")
    assert "✓ 01_double" in shown
    assert shown.count("progress.json cannot be read") == 1
    os.write(ours, b"l")
    until("Repair it, or rename it")
    os.write(ours, b"n")
    assert "✗ 02_slope" in until("q quit")
    os.write(ours, b"q")
    assert process.wait(60) == 0
    os.close(ours)
    os.close(theirs)
