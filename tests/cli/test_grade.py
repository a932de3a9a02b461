"""`gradclinic grade` as an instructor runs it: rows, resuming, interrupts and kills, and what it refuses."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

COURSE = Path(__file__).parents[1] / "course"
RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return 3 * x\n"
LOOP = "def double(x):\n    while True:\n        pass\n"
SLOPE = "def slope(w, x):\n    return 2 * w * x**2\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="submissions are confined on Linux only")


_TIMES = re.compile(
    rb'"seconds": [\d.e-]+|time="[\d.e-]+"|"execution_time": [\d.e-]+|\d{4}-\d\d-\d\d \d\d:\d\d [+-]\d{4}'
)


class Room:
    """A folder of submissions, and the command run on it with a temporary folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.given, self.out = folder, folder / "given", folder / "out"
        self.scratch = folder / "tmp"
        self.scratch.mkdir()
        self.given.mkdir()

    def hand_in(self, learner: str, **answers: str) -> None:
        (self.given / learner).mkdir(exist_ok=True)
        for exercise, text in answers.items():
            (self.given / learner / f"{exercise}.py").write_text(text)

    def start(self, *options: str, out: str = "out", **more: Any) -> subprocess.Popen[str]:
        words = ["--course", str(COURSE), "grade", str(self.given), "--out", str(self.folder / out), "--seconds", "5"]
        return subprocess.Popen(
            [sys.executable, "-m", "gradclinic", *words, "--jobs", "1", *options],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.scratch), "NO_COLOR": "1", "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    def grade(self, *options: str, out: str = "out") -> tuple[int, str, str]:
        process = self.start(*options, out=out)
        said, complained = process.communicate(timeout=300)
        return process.returncode, said, complained

    def rows(self, out: str = "out") -> list[dict[str, Any]]:
        file = self.folder / out / "results.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def told(self) -> dict[tuple[str, str], tuple[bool, str | None]]:
        return {(row["learner"], row["exercise"]): (row["passed"], row["cause"]) for row in self.rows()}

    def files(self, out: str) -> Mapping[str, bytes]:
        """All results apart from times."""
        root = self.folder / out
        return {
            str(file.relative_to(root)): _TIMES.sub(b"", file.read_bytes())
            for file in sorted(root.rglob("*"))
            if file.is_file() and ".grade" not in file.parts and file.suffix != ".zip"
        }

    def left(self) -> list[str]:
        """Processes and files of a run that live a while after its end."""
        end = time.monotonic() + 15
        while (found := self._processes()) and time.monotonic() < end:
            time.sleep(0.05)
        return found + [file.name for file in self.scratch.iterdir()]

    def _processes(self) -> list[str]:
        found = []
        for entry in Path("/proc").iterdir():
            try:
                line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            except OSError:
                continue
            if os.fsencode(self.folder) in line and entry.name != str(os.getpid()):
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
        return found

    def wait_for_rows(self, count: int, out: str = "out") -> None:
        end = time.monotonic() + 120
        while len(self.rows(out)) < count and time.monotonic() < end:
            time.sleep(0.01)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_a_class_is_graded(room: Room) -> None:
    room.hand_in("ada", double=RIGHT, slope=SLOPE)
    room.hand_in("ben", double=WRONG)
    room.hand_in("cy", double=LOOP, slope="import os\nos._exit(0)\n")
    code, said, complained = room.grade("--jobs", "2", "--points", "2", "--points", "slope=5")
    assert code == 0
    assert [line for line in complained.splitlines() if "answers graded" not in line] == []  # how far it is
    assert room.told() == {
        ("ada", "double"): (True, None),
        ("ada", "slope"): (True, None),
        ("ben", "double"): (False, "wrong_scale"),
        ("cy", "double"): (False, "timeout"),
        ("cy", "slope"): (False, "exited"),
    }
    points = {(row["learner"], row["exercise"]): (row["points"], row["possible"]) for row in room.rows()}
    assert points["ada", "double"] == (6.0, 6.0)
    assert points["ada", "slope"] == (5.0, 5.0)
    assert points["ben", "double"] == (0.0, 6.0)
    assert {row["isolation"] for row in room.rows()} == {"strict"}
    assert "5 answers graded; 3 learners, 3 exercises." in said
    assert "2 of 5 answers pass." in said
    assert all(len(line) <= 80 for line in said.splitlines()), said
    assert (room.out / "report.html").exists()
    assert room.left() == []


def test_only_what_changed_is_graded_again(room: Room) -> None:
    room.hand_in("ada", double=RIGHT, slope=SLOPE)
    room.hand_in("ben", double=WRONG)
    room.grade()
    before = room.rows()
    assert "0 answers graded, 3 known from before" in room.grade()[1]
    assert room.rows() == before
    room.hand_in("ben", double=RIGHT)
    room.hand_in("cy", slope=SLOPE)
    assert "2 answers graded, 2 known from before" in room.grade("--points", "3")[1]
    assert room.told()["ben", "double"] == (True, None)
    assert {row["points"] for row in room.rows()} == {3.0, 9.0}
    (room.given / "ada" / "slope.py").unlink()
    assert "0 answers graded, 3 known from before" in room.grade()[1]
    assert sorted(room.told()) == [("ada", "double"), ("ben", "double"), ("cy", "slope")]
    assert "3 answers graded;" in room.grade("--memory", "600")[1]


def test_exercises_that_are_not_named_are_kept_and_not_told(room: Room) -> None:
    room.hand_in("ada", double=RIGHT, slope=SLOPE)
    room.hand_in("ben", slope=SLOPE)
    room.grade()
    before = room.rows()
    said = room.grade("--exercise", "double")[1]
    assert "0 answers graded, 1 known from before; 2 learners, 1 exercise." in said
    assert room.rows() == before
    assert "slope" not in (room.out / "summary.csv").read_text()
    assert "0 answers graded, 3 known from before; 2 learners, 3 exercises." in room.grade()[1]


def test_the_end_names_who_handed_in_nothing_and_who_is_on_no_roster(room: Room) -> None:
    room.hand_in("ada", double=RIGHT)
    room.hand_in("zoe", slope="")
    (room.folder / "class.csv").write_text("id\nada\nben\ncy\n")
    _, said, complained = room.grade("--roster", "class.csv")
    assert complained == ""
    assert said.splitlines()[1:5] == [
        "1 of 1 answers pass.",
        "1 problem with what was handed in; the report names each.",
        "2 learners handed in nothing: ben, cy.",
        "1 learner not on the roster: zoe.",
    ]


def test_a_learner_is_deleted_by_removing_the_submission(room: Room) -> None:
    room.hand_in("ada", double=RIGHT)
    room.hand_in("ben", double=WRONG)
    room.grade()
    (room.out / "feedback" / "mine.md").write_text("a note of the instructor")
    shutil.rmtree(room.given / "ben")
    assert "0 answers graded, 1 known from before; 1 learner, 3 exercises." in room.grade()[1]
    left = [file for file in room.out.rglob("*") if file.is_file() and file.suffix != ".zip"]
    assert [file for file in left if "ben" in file.name or "ben" in file.parent.name] == []
    assert [file for file in left if b'"ben"' in file.read_bytes()] == []
    assert sorted(file.name for file in (room.out / "feedback").iterdir()) == ["ada.md", "mine.md"]


def test_the_help_names_every_level_of_isolation() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "gradclinic", "grade", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "strict, namespaces, limits or process" in " ".join(told.split())


def test_inputs_are_the_same_again_and_others_for_another_learner_answer_and_class(room: Room) -> None:
    room.hand_in("ada", double=WRONG)
    room.hand_in("ben", double=WRONG)
    room.grade()
    ada, ben = (row["checks"][0]["got"] for row in room.rows())
    assert ada != ben
    (room.out / "results.jsonl").unlink()
    room.grade()
    assert [row["checks"][0]["got"] for row in room.rows()] == [ada, ben]
    room.hand_in("ada", double=WRONG + "# once more\n")
    room.grade()
    assert room.rows()[0]["checks"][0]["got"] != ada
    assert room.rows()[1]["checks"][0]["got"] == ben
    room.grade(out="other class")
    assert room.rows("other class")[1]["checks"][0]["got"] != ben


def test_a_timeout_is_tried_again_when_asked(room: Room) -> None:
    room.hand_in("ada", double=LOOP, slope=SLOPE)
    room.grade("--seconds", "1")
    assert "0 answers graded, 2 known" in room.grade("--seconds", "1")[1]
    assert "1 answer graded, 1 known" in room.grade("--seconds", "1", "--retry")[1]


def test_ctrl_c_ends_it_at_once_with_what_is_done_kept(room: Room) -> None:
    room.hand_in("ada", double=RIGHT, slope=SLOPE)
    for name in ("ben", "cy", "dan"):
        room.hand_in(name, double=LOOP)
    process = room.start("--seconds", "60", "--jobs", "2")
    room.wait_for_rows(2)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, complained = process.communicate(timeout=60)
    assert time.monotonic() - begun < 10  # measured: well below a second on a quiet machine
    assert process.returncode == 130
    assert (
        complained.strip() == "Stopped. What is done is kept in out/results.jsonl; the same command goes on from there."
    )
    assert [row["learner"] for row in room.rows()] == ["ada", "ada"]
    assert room.left() == []


def test_a_run_that_was_killed_anywhere_and_begun_again_gives_the_same_files(room: Room) -> None:
    for name in ("ada", "ben", "cy", "dan"):
        room.hand_in(name, double=RIGHT if name < "c" else WRONG, slope=SLOPE)
    room.grade()
    whole = room.files("out")
    moments = random.Random(5)
    (room.folder / "again" / ".grade").mkdir(parents=True)
    (room.folder / "again" / ".grade" / "secret").write_bytes((room.out / ".grade" / "secret").read_bytes())
    for rows in range(5):
        process = room.start("--jobs", "2", out="again")
        room.wait_for_rows(rows, out="again")
        time.sleep(moments.uniform(0, 0.3))
        process.kill()
        process.communicate()
    assert room.grade(out="again")[0] == 0
    assert room.files("again") == whole
    assert room.left() == []


def test_two_graders_do_not_share_a_folder(room: Room) -> None:
    room.hand_in("ada", double=RIGHT, slope=SLOPE)
    room.hand_in("ben", double=LOOP)
    process = room.start("--seconds", "60")
    room.wait_for_rows(2)
    assert room.grade() == (2, "", f"gradclinic: Another grader is at work in {room.out}. Let it end, or stop it.\n")
    process.kill()
    process.communicate()


def test_new_submissions_are_graded_as_they_come(room: Room) -> None:
    room.hand_in("ada", double=RIGHT)
    process = room.start("--watch")
    room.wait_for_rows(1)  # what comes now comes while the first outputs are written, or before the watch has begun
    room.hand_in("ben", double=WRONG)
    end = time.monotonic() + 120
    while not ((told := room.out / "summary.csv").exists() and "ben" in told.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert room.told() == {("ada", "double"): (True, None), ("ben", "double"): (False, "wrong_scale")}
    assert "1 answer graded, 1 known from before" in said
    assert room.left() == []


def test_what_is_wrong_in_the_call_is_said_in_one_sentence(room: Room) -> None:
    room.hand_in("ada", double=RIGHT)
    (room.folder / "full").mkdir()
    (room.folder / "full" / "thesis.txt").write_text("mine")
    for options, words in (
        (["--out", str(room.folder / "full")], "full holds something else than results. Name a new folder with --out."),
        (["--require-isolation", "perfect"], "--require-isolation knows process, limits, namespaces and strict"),
        (["--exercise", "nosuch"], 'No exercise is called "nosuch"'),
        (["--roster", "nosuch.csv"], "nosuch.csv"),
        (["--points", "many"], "many"),
        (["--jobs", "0"], "'0' is no whole number above 0"),
        (["--seconds", "-1"], "'-1' is no number above 0"),
        (["--due", "tomorrow"], "'tomorrow' is no date and time such as 2027-03-01 18:00"),
        (["--id-pattern", "(.*)"], "it names no learner: put (?P<id>...) around the part that does"),
    ):
        code, said, complained = room.grade(*options)
        assert (code, said) == (2, ""), options
        assert words in complained
        assert "Traceback" not in complained
    assert room.left() == []


def test_the_command_that_shows_its_options_imports_no_torch() -> None:
    program = "import sys; from gradclinic.cli import grade; print('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )
