"""Worker processes: rows come back whatever the answers do, and when a worker is killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gradclinic.classroom.crew import Crew
from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Problem, Submission
from gradclinic.classroom.work import Settings, Task
from gradclinic.course import CourseError

COURSE = Path(__file__).parents[1] / "course"
RIGHT = b"def double(x):\n    return 2 * x\n"
LOOP = b"def double(x):\n    while True:\n        pass\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, which only Linux has")


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    with closing(Crew(Settings(str(COURSE), seconds=3, memory_mb=512), 2, tmp_path)) as crew:
        yield crew
    assert left(tmp_path) == []


def task(learner: str, text: bytes) -> Task:
    return Task(Submission(learner, "double", text, f"{learner}.py"), 2**255 + 1, f"key of {learner}")


def pids(folder: Path) -> list[int]:
    """The processes whose command line names a folder: workers, and the forkservers and children below them."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            named = entry.name.isdigit() and os.fsencode(folder) in (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if named and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def left(folder: Path) -> list[int]:
    """What still lives a while after the end: a child is ended by the kernel when its parent has ended."""
    end = time.monotonic() + 10
    while (found := pids(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def test_each_answer_gives_its_row(crew: Crew) -> None:
    answers = {
        "right": RIGHT,
        "wrong": b"def double(x):\n    return 3 * x\n",
        "loop": LOOP,
        "exit": b"import os\nos._exit(0)\n",
        "bytes": b"\x00\xff\xfe",
        "empty": b"",
    }
    rows = {}
    for row in crew.grade(task(name, text) for name, text in answers.items()):
        assert isinstance(row, Row)
        rows[row.learner] = row
    told = {name: (row.passed, row.cause) for name, row in rows.items()}
    assert told == {
        "right": (True, None),
        "wrong": (False, "wrong_scale"),
        "loop": (False, "timeout"),
        "exit": (False, "exited"),
        "bytes": (False, "not_utf8"),
        "empty": (False, "not_started"),
    }
    assert {row.key for row in rows.values()} == {f"key of {name}" for name in answers}
    assert [check["name"] for check in rows["right"].checks] == ["test_a_row", "test_a_table", "test_a_block"]
    assert rows["wrong"].location is not None
    assert rows["wrong"].location["file"] == "wrong.py"
    assert "seed" not in rows["right"].line()


def test_what_differs_from_run_to_run_is_not_in_a_row(crew: Crew, tmp_path: Path) -> None:
    text = b"def double(x):\n    print(__file__, object())\n    raise ValueError(f'in {__file__} at {object()}')\n"
    first, second = crew.grade([task("ada", text), task("ada", text)])
    assert isinstance(first, Row)
    assert isinstance(second, Row)
    assert first.checks == second.checks
    assert first.checks[0]["prints"] == "ada.py <object object at 0x...>\n"
    assert str(tmp_path) not in first.line()


def kill_worker(folder: Path, desk: str) -> None:
    worker = next(pid for pid in pids(folder / desk) if b"grading.worker" in Path(f"/proc/{pid}/cmdline").read_bytes())
    os.kill(worker, signal.SIGKILL)


def test_the_task_of_a_killed_worker_is_done_by_another(tmp_path: Path) -> None:
    with closing(Crew(Settings(str(COURSE), seconds=20, memory_mb=512), 1, tmp_path)) as crew:
        rows = crew.grade([task("ada", RIGHT), task("ben", RIGHT), task("cy", RIGHT)])
        done = [next(rows)]
        kill_worker(tmp_path, "desk-1")
        done += rows
        assert sorted((row.learner, isinstance(row, Row) and row.passed) for row in done) == [
            ("ada", True),
            ("ben", True),
            ("cy", True),
        ]
    assert left(tmp_path) == []


def test_what_ends_two_workers_is_reported_and_the_others_are_graded(tmp_path: Path) -> None:
    with closing(Crew(Settings(str(COURSE), seconds=60, memory_mb=512), 2, tmp_path)) as crew:
        rows = crew.grade([task("ada", LOOP), task("ben", RIGHT), task("cy", RIGHT)])
        done = [next(rows), next(rows)]
        kill_worker(tmp_path, _looping(tmp_path))
        threading.Timer(0.1, _kill_when_there, [tmp_path]).start()
        done += rows
    told = {row.learner: row for row in done}
    assert isinstance(told["ada"], Problem)
    assert told["ada"].message == "the grader itself failed on it 2 times; it is not graded"
    assert [isinstance(told[name], Row) for name in ("ben", "cy")] == [True, True]
    assert left(tmp_path) == []


def _looping(folder: Path) -> str:
    """The desk that has an answer, when the other one has none any more."""
    end = time.monotonic() + 120
    while len(busy := {answer.parent.name for answer in folder.glob("desk-*/answer-*")}) != 1:
        assert time.monotonic() < end
        time.sleep(0.02)
    return busy.pop()


def _kill_when_there(folder: Path) -> None:
    """Kills the next worker that has the task of the loop."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        for desk in folder.glob("desk-*"):
            if any(desk.glob("answer-*")) and pids(desk):
                time.sleep(0.2)
                kill_worker(folder, desk.name)
                return
        time.sleep(0.05)


def test_a_check_file_that_does_not_load_is_the_course_s_fault(tmp_path: Path) -> None:
    course = tmp_path / "course"
    (course / "lessons").mkdir(parents=True)
    (course / "checks").mkdir()
    (course / "checks" / "test_01_double.py").write_text("1 / 0\n")
    with (
        closing(Crew(Settings(str(course), seconds=3, memory_mb=512), 1, tmp_path)) as crew,
        pytest.raises(CourseError, match=r"test_01_double\.py: this check file does not load: ZeroDivisionError"),
    ):
        list(crew.grade([task("ada", RIGHT)]))
