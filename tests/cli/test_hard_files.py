"""Pipes and devices in the place of files: a message, and never a wait without end."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Clinic

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")


def a_pipe(file: Path) -> None:
    os.mkfifo(file)


def a_device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def a_folder(file: Path) -> None:
    file.mkdir()


@pytest.fixture(params=[a_pipe, a_device, a_folder])
def spoilt(request: pytest.FixtureRequest, clinic: Clinic) -> Clinic:
    """A course in git whose first exercise is no file any more."""
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "course"]):
        subprocess.run([*git, *step], cwd=clinic.root, check=True)
    clinic.exercise("01_double").unlink()
    request.param(clinic.exercise("01_double"))
    return clinic


def test_reset_says_what_is_there_and_leaves_it(spoilt: Clinic) -> None:
    result = spoilt.run("reset", "double", "--yes")
    assert (result.returncode, result.stdout) == (2, "")
    assert "01_double/exercise.py: it is no regular file." in result.stderr
    assert not spoilt.exercise("01_double").is_file()


def test_watch_says_it_and_goes_on(spoilt: Clinic) -> None:
    result = spoilt.run("watch", stdin="r\nl\n")
    assert result.returncode == 1
    assert "01_double/exercise.py: it is no regular file." in " ".join(result.stdout.split())
    assert "The arrow shows where you are." in result.stdout


def test_the_other_commands_do_not_wait(clinic: Clinic) -> None:
    (clinic.root / "solutions" / "01_double.py").unlink()
    os.mkfifo(clinic.root / "solutions" / "01_double.py")
    solution = clinic.run("solution", "double", "--give-up")
    assert (solution.returncode, solution.stdout) == (2, "")
    assert "01_double.py: it is no regular file." in solution.stderr
    quick = clinic.run("dev", "check", "--quick")
    assert quick.returncode == 1
    assert "solutions/01_double.py:1: 01_double has no such file." in quick.stdout


def test_a_record_that_is_a_pipe_costs_no_verdict(clinic: Clinic) -> None:
    (clinic.root / ".gradclinic").mkdir()
    os.mkfifo(clinic.root / ".gradclinic" / "progress.json")
    clinic.solve("01_double")
    result = clinic.run("check", "1")
    assert result.returncode == 0
    assert "✓ 01_double" in result.stdout
    assert "progress.json cannot be read: it is no regular file." in result.stderr
