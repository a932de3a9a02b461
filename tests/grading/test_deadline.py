"""The deadline: from outside, by force, with the line that was running; and what happens to the other checks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Grader

pytestmark = pytest.mark.usefixtures("nothing_left")
HEAD = "import os, signal, time\nimport torch\n"

HANGS = [
    ("a loop", "def double(x):\n    while True: x = x + 1\n", "double", 4),
    ("sleep", "def double(x):\n    time.sleep(100)\n", "double", 4),
    ("in C", "def double(x):\n    a = torch.ones(3000, 3000)\n    for _ in range(10**6): a @ a\n", "double", 5),
    ("in a library", "def double(x):\n    sorted(x, key=lambda n: time.sleep(100))\n", "double", 4),
    ("at import", "while True: pass\n", "the file", 3),
    (
        "swallows all",
        "def double(x):\n    while True:\n        try: time.sleep(9)\n        except BaseException: pass\n",
        "double",
        5,
    ),
    ("in a helper", "def wait():\n    time.sleep(100)\n\ndef double(x):\n    wait()\n", "double", 4),
    ("ignores signals", "def double(x):\n    signal.signal(15, signal.SIG_IGN)\n    time.sleep(100)\n", "double", 5),
]


@pytest.mark.parametrize(("body", "name", "line"), [row[1:] for row in HANGS], ids=[row[0] for row in HANGS])
def test_what_never_ends_is_stopped_at_its_line(grade_briefly: Grader, body: str, name: str, line: int) -> None:
    verdict = grade_briefly(HEAD + body, "double")
    first, *others = verdict.checks
    assert (first.state, first.cause, first.message) == ("failed", "timeout", f"timeout: {name} was still running")
    assert verdict.location is not None
    assert verdict.location.line == line
    assert [(row.state, row.message) for row in others] == [("not_reached", "not reached: the time was used up")] * 2


@pytest.mark.skipif(sys.platform == "win32", reason="SIGSTOP is unknown there")
def test_a_child_that_stops_itself_is_ended(grade_briefly: Grader) -> None:
    verdict = grade_briefly(HEAD + "def double(x):\n    os.kill(os.getpid(), signal.SIGSTOP)\n", "double")
    assert (verdict.cause, verdict.location and verdict.location.line) == ("timeout", 3)


def test_checks_before_the_hang_keep_their_result(grade_briefly: Grader) -> None:
    text = "import time\ndef double(x):\n    if x.ndim == 2:\n        time.sleep(100)\n    return 2 * x\n"
    verdict = grade_briefly(text, "double")
    assert [row.state for row in verdict.checks] == ["passed", "failed", "not_reached"]
    assert verdict.cause == "timeout"


def test_the_checks_of_one_exercise_share_its_time(grade_briefly: Grader) -> None:
    verdict = grade_briefly("import time\ndef double(x):\n    time.sleep(0.9)\n    return 2 * x\n", "double")
    assert [row.state for row in verdict.checks] == ["passed", "failed", "not_reached"]


def test_a_thread_that_never_ends_holds_nothing_up(grade: Grader) -> None:
    text = """\
        import threading, time
        def double(x):
            for daemon in (True, False):
                threading.Thread(target=time.sleep, args=(1000,), daemon=daemon).start()
            return 2 * x
        """
    verdict = grade(text, "double")
    assert verdict.passed
    assert verdict.seconds < 100


def test_the_next_answer_is_graded_as_ever(grade_briefly: Grader) -> None:
    assert grade_briefly("while True:\n    pass\n", "double").cause == "timeout"
    assert grade_briefly("def double(x):\n    return 2 * x\n", "double").passed
