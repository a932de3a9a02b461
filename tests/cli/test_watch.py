"""watch: on a pipe and on a terminal, saves of every kind, keys, and leaving."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Clinic

pty: Any = pytest.importorskip("pty")
KEYS = "n next  p previous"
PASS = "# exercise: double\ndef double(x):\n    return 2 * x  # {}\n"
FAIL = "# exercise: double\ndef double(x):\n    return 3 * x  # {}\n"


class Terminal:
    """A person at a terminal: types keys, and reads until something is shown."""

    def __init__(self, fd: int, process: subprocess.Popen[bytes]) -> None:
        self.fd, self.process, self.shown = fd, process, ""

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def until(self, text: str, seconds: float = 30) -> str:
        """What was shown up to and with this text; the rest waits for the next call."""
        end = time.monotonic() + seconds
        while text not in self.shown:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            assert ready, f"no {text!r} in {self.shown!r}"
            try:
                self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(self.fd, 65536).decode())
            except OSError:
                raise AssertionError(f"it ended without {text!r}: {self.shown!r}") from None
        before, self.shown = self.shown.split(text, 1)
        return before + text


@contextmanager
def watching(clinic: Clinic, *arguments: str, **env: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        clinic.command(*arguments),
        cwd=clinic.root,
        env=clinic.environment(**env),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


def test_on_an_empty_pipe_it_ends_after_one_verdict(clinic: Clinic) -> None:
    result = clinic.run("watch")
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.count("───") == 2
    assert "✗ 01_double" in result.stdout


def test_on_a_pipe_commands_are_lines(clinic: Clinic) -> None:
    clinic.solve("02_slope")
    result = clinic.run("watch", stdin="p\nh\n\nl\nz\nnext\n")
    assert result.returncode == 0  # the last verdict was on 02_slope, and passed
    order = [
        "✗ 01_double",
        "This is the first exercise.",
        "Hint 1 of 3",
        "One more: press h",
        "▸   01 double",
        "`z` is no key",
        "edit   lessons/02_slope/exercise.py",
        "✓ 02_slope",
    ]
    places = [result.stdout.index(words) for words in order]
    assert places == sorted(places)


def test_all_passed_shows_the_last_screen(clinic: Clinic) -> None:
    for slug in ("01_double", "02_slope", "03_half"):
        clinic.solve(slug)
    result = clinic.run("watch", stdin="c\nn\nn\nn\n")
    assert result.returncode == 0
    for slug in ("01_double", "02_slope", "03_half"):
        assert f"✓ {slug}" in result.stdout
    assert result.stdout.count("All 3 exercises are passed.") >= 2


def test_after_the_last_comes_another_open_one_or_a_word(clinic: Clinic) -> None:
    clinic.solve("01_double")
    clinic.solve("02_slope")
    (clinic.root / ".gradclinic").mkdir()
    progress = clinic.root / ".gradclinic" / "progress.json"
    progress.write_text('{"passed": {"double": "2026-01-02"}, "current": "half"}')
    result = clinic.run("watch", stdin="n\n")
    assert "That was the last exercise." in result.stdout
    assert result.stdout.index("✗ 03_half") < result.stdout.index("✓ 02_slope")

    progress.write_text('{"passed": {"double": "2026-01-02", "slope": "2026-01-02"}, "current": "half"}')
    result = clinic.run("watch", stdin="n\n")
    assert "This is the last exercise, and the only one that is still open." in result.stdout
    assert result.stdout.count("✗ 03_half") == 1


def test_saves_of_every_kind_get_a_verdict_and_nothing_else_does(clinic: Clinic) -> None:
    file = clinic.exercise("01_double")
    with watching(clinic, "watch") as terminal:
        terminal.until("✗ 01_double")
        terminal.until(KEYS)

        file.write_text(PASS.format("in place"))
        terminal.until("✓ 01_double")
        assert "1 of 3 passed" in terminal.until(KEYS)

        for number in range(3):  # a second file renamed over the old one, again and again
            fresh = file.with_name(".exercise.py.tmp")
            fresh.write_text(FAIL.format(f"renamed {number}"))
            fresh.replace(file)
            terminal.until("✗ 01_double")
            terminal.until(KEYS)

        file.rename(file.with_name("exercise.py~"))  # the old one moved away, a new one written
        file.write_text(PASS.format("moved"))
        terminal.until("✓ 01_double")
        terminal.until(KEYS)

        for name in ("4913", ".exercise.py.swp", "exercise.py~"):
            file.with_name(name).write_text("of the editor")
        file.with_name("4913").unlink()
        time.sleep(0.8)
        terminal.press("l")
        assert "───" not in terminal.until("The arrow shows where you are.")

        terminal.press("q")
        assert terminal.process.wait(60) == 0


def test_a_file_that_stays_away_is_a_verdict_and_its_return_is_another(clinic: Clinic) -> None:
    file = clinic.exercise("01_double")
    with watching(clinic, "watch") as terminal:
        terminal.until(KEYS)
        file.unlink()
        terminal.until("✗ 01_double")
        terminal.until(KEYS)
        file.write_text(PASS.format("back"))
        terminal.until("✓ 01_double")


def test_it_never_advances_by_itself_and_moves_when_asked(clinic: Clinic) -> None:
    clinic.solve("01_double")
    (clinic.root / ".gradclinic").mkdir()
    (clinic.root / ".gradclinic" / "progress.json").write_text('{"current": "double"}')
    with watching(clinic, "watch") as terminal:
        terminal.until("`n` goes on")
        terminal.until(KEYS)
        clinic.exercise("01_double").write_text(PASS.format("again"))
        terminal.until("✓ 01_double")
        terminal.until(KEYS)
        terminal.press("n")
        terminal.until("✗ 02_slope")
        terminal.until(KEYS)
        clinic.exercise("01_double").write_text(FAIL.format("not the current one"))
        clinic.solve("02_slope")
        assert "01_double" not in terminal.until("✓ 02_slope")
        terminal.until(KEYS)
        terminal.press("\x1b[C")  # an arrow key is no command
        terminal.press("p")
        terminal.until("✗ 01_double")
        terminal.press("q")
        assert terminal.process.wait(60) == 0


def test_reset_asks_and_keeps_the_work(clinic: Clinic) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "course"]):
        subprocess.run([*git, *step], cwd=clinic.root, check=True)
    original = clinic.exercise("01_double").read_text()
    mine = PASS.format("mine")
    clinic.exercise("01_double").write_text(mine)
    with watching(clinic, "watch") as terminal:
        terminal.until("✓ 01_double")
        terminal.until(KEYS)
        terminal.press("r")
        terminal.until("y/N")
        terminal.press("n")
        terminal.until("Nothing was changed.")
        assert clinic.exercise("01_double").read_text() == mine
        terminal.press("ry")
        terminal.until("✗ 01_double")
    assert clinic.exercise("01_double").read_text() == original
    assert [file.read_text() for file in (clinic.root / ".gradclinic" / "backups").iterdir()] == [mine]


def test_without_a_command_a_terminal_goes_on_to_watch(clinic: Clinic) -> None:
    with watching(clinic, PATH=str(clinic.root)) as terminal:
        terminal.until("Next: 01_double")
        terminal.until("What is twice the value?")
        terminal.until("gradclinic read double")
        terminal.until("lessons/01_double/exercise.py")
        terminal.until("Your shell does not know `gradclinic`")
        terminal.until("✗ 01_double")
        terminal.until(KEYS)
        terminal.press("q")
        terminal.until("Your shell does not know `gradclinic`")
        assert terminal.process.wait(60) == 0


def test_each_move_tells_the_question_and_how_to_read_on(clinic: Clinic) -> None:
    with watching(clinic, "watch") as terminal:
        terminal.until("What is twice the value?")
        terminal.until("gradclinic read double")
        terminal.until(KEYS)
        terminal.press("n")
        assert "gradclinic read" not in terminal.until("✗ 02_slope")  # it has no lesson
        terminal.until(KEYS)
        terminal.press("p")
        terminal.until("What is twice the value?")
        terminal.until("gradclinic read double")
        terminal.until("✗ 01_double")


def test_it_looks_by_itself_where_there_are_no_file_events(clinic: Clinic, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "watchfiles.py").write_text("raise OSError('inotify limit reached')\n")
    with watching(clinic, "watch", PYTHONPATH=str(tmp_path / "broken")) as terminal:
        terminal.until("This system tells of no saves")
        clinic.exercise("01_double").write_text(PASS.format("seen all the same"))
        terminal.until("✓ 01_double")


def test_ctrl_c_ends_quietly_and_leaves_the_terminal_as_it_was(clinic: Clinic) -> None:
    import termios

    with watching(clinic, "watch") as terminal:
        before = termios.tcgetattr(terminal.fd)
        terminal.until(KEYS)
        assert termios.tcgetattr(terminal.fd) != before
        os.killpg(terminal.process.pid, signal.SIGINT)
        assert terminal.process.wait(60) == 0
        assert termios.tcgetattr(terminal.fd) == before
        assert "Traceback" not in terminal.shown


def test_keys_still_work_after_a_pause_in_the_background(clinic: Clinic) -> None:
    import termios

    with watching(clinic, "watch") as terminal:
        before = termios.tcgetattr(terminal.fd)
        terminal.until(KEYS)
        os.kill(terminal.process.pid, signal.SIGSTOP)
        termios.tcsetattr(terminal.fd, termios.TCSANOW, before)  # as a shell does while the job is stopped
        os.kill(terminal.process.pid, signal.SIGCONT)
        end = time.monotonic() + 60
        while termios.tcgetattr(terminal.fd) == before:
            assert time.monotonic() < end
            time.sleep(0.05)
        terminal.press("l")
        terminal.until("The arrow shows where you are.")
