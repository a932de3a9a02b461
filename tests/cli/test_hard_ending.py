"""Ended from outside: the terminal is as before, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Clinic

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
FOREVER = "# exercise: double\ndef double(x):\n    while True:\n        pass\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_watch_sets_the_terminal_back(clinic: Clinic, number: signal.Signals, code: int) -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    before = termios.tcgetattr(ours)
    process = subprocess.Popen(
        clinic.command("watch"), cwd=clinic.root, env=clinic.environment(), stdin=theirs, stdout=theirs, stderr=theirs
    )
    shown = b""
    while b"q quit" not in shown:
        shown += os.read(ours, 65536)
    assert termios.tcgetattr(ours) != before
    process.send_signal(number)
    assert process.wait(60) == code
    assert termios.tcgetattr(ours) == before
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_check_leaves_no_scratch_folder(clinic: Clinic, tmp_path: Path, number: signal.Signals, code: int) -> None:
    clinic.exercise("01_double").write_text(FOREVER)
    (tmp_path / "scratch").mkdir()
    process = subprocess.Popen(
        clinic.command("check", "1"),
        cwd=clinic.root,
        env=clinic.environment(TMPDIR=str(tmp_path / "scratch")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not any((tmp_path / "scratch").iterdir()):  # until the learner's file is about to run
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, "", "")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_what_nohup_ignores_stays_ignored(clinic: Clinic) -> None:
    ask = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); from gradclinic.cli.main import main;"
        "main(['list']); print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    )
    command = [sys.executable, "-c", ask]
    result = subprocess.run(command, cwd=clinic.root, env=clinic.environment(), capture_output=True, encoding="utf-8")
    assert result.stdout.splitlines()[-1] == "True"
