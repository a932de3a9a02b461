"""The command as a whole: words, exit codes, and what it must not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Clinic

_RUN = """
import sys
from gradclinic.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
heavy = ("torch", "jupytext", "nbconvert", "nbformat", "pytest", "mkdocs", "watchfiles")
print("heavy:", [name for name in heavy if name in sys.modules])
"""


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["list"],
        ["read", "double"],
        ["cause"],
        ["cause", "detached"],
        ["hint", "double"],
        ["solution", "double", "--give-up"],
        ["reset", "double"],
        ["init", "elsewhere"],
        ["dev", "new", "another"],
        ["dev", "check", "--quick"],
        ["check", "nothing_of_this_name"],
        ["--help"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_commands_that_show_text_import_nothing_heavy(clinic: Clinic, arguments: list[str]) -> None:
    command = [sys.executable, "-c", _RUN, *arguments]
    result = subprocess.run(
        command, cwd=clinic.root, env=clinic.environment(), capture_output=True, encoding="utf-8", input=""
    )
    assert result.stdout.splitlines()[-1] == "heavy: []", result.stdout + result.stderr


def test_every_command_is_in_the_help(clinic: Clinic) -> None:
    words = clinic.run("--help").stdout.split()
    learners = ("list", "read", "check", "cause", "watch", "hint", "solution", "reset", "init", "claims")
    for command in (*learners, "grade", "dev"):
        assert command in words


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "zebra"], 'No exercise is called "zebra"'),
        (["hint"], "the following arguments are required: ID"),
        (["frobnicate"], "invalid choice: 'frobnicate'"),
        (["dev"], "required: COMMAND"),
        (["--course", "nowhere", "list"], "nowhere is no course"),
        (["check", "--answers", "missing.py"], "There is no file or folder"),
        (["check", "--seed", "many"], "invalid int value: 'many'"),
        (["hint", "half"], "half has no hints"),
        (["read", "half"], "half has no lesson to read"),
        (["read", "zebra"], 'No exercise is called "zebra"'),
        (["cause", "zebra"], 'No cause is called "zebra"'),
        (["cause", "inplace"], '"inplace" fits inplace_on_leaf, inplace_on_saved, inplace_on_view. Say which.'),
        (["dev", "check", "zebra"], 'No exercise is called "zebra"'),
    ],
)
def test_a_wrong_call_is_one_message_and_exit_code_2(clinic: Clinic, arguments: list[str], said: str) -> None:
    result = clinic.run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_outside_a_course_it_says_how_to_get_one(tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, "-m", "gradclinic"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 2
    assert "gradclinic init my-clinic" in result.stderr


def test_a_course_without_exercises_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "lessons").mkdir()
    (tmp_path / "checks").mkdir()
    result = subprocess.run([sys.executable, "-m", "gradclinic", "check"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 2
    assert "has no exercises" in result.stderr


def test_another_course_is_taken_with_course(clinic: Clinic, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gradclinic", "--course", str(clinic.root), "list"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", env=clinic.environment())
    assert result.returncode == 0
    assert "02 slope" in result.stdout


def test_a_damaged_progress_file_is_a_message(clinic: Clinic) -> None:
    (clinic.root / ".gradclinic").mkdir()
    (clinic.root / ".gradclinic" / "progress.json").write_text("{")
    result = clinic.run("list")
    assert result.returncode == 2
    assert "progress.json cannot be read" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of a POSIX shell")
def test_a_reader_that_stops_early_is_no_error(clinic: Clinic) -> None:
    command = f"{sys.executable} -m gradclinic list | head -c 1"
    result = subprocess.run(["sh", "-c", command], cwd=clinic.root, capture_output=True, env=clinic.environment())
    assert result.stderr == b""


def test_output_is_plain_on_a_pipe_and_fits_80_columns(clinic: Clinic) -> None:
    for arguments in ([], ["list"], ["hint", "1"], ["read", "1"], ["cause"], ["cause", "unused"], ["--help"]):
        result = clinic.run(*arguments)
        assert "\x1b" not in result.stdout
        assert max(map(len, result.stdout.splitlines())) <= 80


def test_symbols_fall_back_to_ascii(clinic: Clinic) -> None:
    (clinic.root / ".gradclinic").mkdir()
    (clinic.root / ".gradclinic" / "progress.json").write_text('{"passed": {"double": "2026-01-02"}}')
    assert "  ✓ 01 double" in clinic.run("list").stdout
    result = clinic.run("list", PYTHONIOENCODING="ascii")
    assert "  + 01 double" in result.stdout
    assert "> " in result.stdout


def test_colours_only_when_asked_for(clinic: Clinic) -> None:
    assert "\x1b[" in clinic.run(FORCE_COLOR="1").stdout
    assert "\x1b[" not in clinic.run(FORCE_COLOR="1", NO_COLOR="1").stdout
