"""reset: the original comes back, and what the learner wrote is kept."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Clinic


@pytest.fixture
def committed(clinic: Clinic) -> Clinic:
    """The course in a git repository, and the first exercise edited since."""
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "course"]):
        subprocess.run([*git, *step], cwd=clinic.root, check=True)
    clinic.exercise("01_double").write_text("my own work\n")
    return clinic


def backups(clinic: Clinic) -> list[str]:
    return sorted(file.read_text() for file in (clinic.root / ".gradclinic" / "backups").glob("01_double-*.py"))


def test_without_a_terminal_it_refuses(committed: Clinic) -> None:
    result = committed.run("reset", "double", stdin="y\n")
    assert result.returncode == 2
    assert "--yes" in result.stderr
    assert committed.exercise("01_double").read_text() == "my own work\n"


def test_with_yes_the_original_is_back_and_the_work_is_kept(committed: Clinic) -> None:
    result = committed.run("reset", "double", "--yes")
    assert result.returncode == 0
    assert "TODO: return twice the values" in committed.exercise("01_double").read_text()
    assert backups(committed) == ["my own work\n"]
    kept = next(line for line in result.stdout.splitlines() if "kept" in line).split()[-1]
    assert (committed.root / kept).read_text() == "my own work\n"


def test_resetting_again_keeps_both_and_an_untouched_file_is_left_alone(committed: Clinic) -> None:
    committed.run("reset", "double", "--yes")
    assert "nothing to reset" in committed.run("reset", "double", "--yes").stdout
    committed.exercise("01_double").write_text("second try\n")
    committed.run("reset", "double", "--yes")
    assert backups(committed) == ["my own work\n", "second try\n"]


def test_a_lost_file_comes_back(committed: Clinic) -> None:
    committed.exercise("01_double").unlink()
    assert committed.run("reset", "double", "--yes").returncode == 0
    assert "TODO" in committed.exercise("01_double").read_text()


def test_a_reset_exercise_is_to_be_done_again(committed: Clinic) -> None:
    (committed.root / ".gradclinic").mkdir()
    (committed.root / ".gradclinic" / "progress.json").write_text('{"passed": {"double": "2026-01-02"}}')
    committed.run("reset", "double", "--yes")
    assert "▸   01 double" in committed.run("list").stdout


def test_without_an_original_nothing_is_changed(clinic: Clinic, tmp_path: Path) -> None:
    clinic.exercise("01_double").write_text("my own work\n")
    result = clinic.run("reset", "double", "--yes", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert result.returncode == 2
    assert "original" in result.stderr
    assert clinic.exercise("01_double").read_text() == "my own work\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("key", "reset"), [("y\n", True), ("\n", False), ("n\n", False)])
def test_on_a_terminal_it_asks(committed: Clinic, key: str, reset: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        committed.command("reset", "1"),
        cwd=committed.root,
        env=committed.environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.write(ours, key.encode())
    assert process.wait(60) == 0
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)
    assert "[y/N]" in shown
    assert (committed.exercise("01_double").read_text() != "my own work\n") == reset
