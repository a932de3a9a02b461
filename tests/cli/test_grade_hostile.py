"""`gradclinic grade` on submissions that are out to harm the run: each becomes a row, of a bounded size."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COURSE = Path(__file__).parents[1] / "course"
RIGHT = "def double(x):\n    return 2 * x\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="submissions are confined on Linux only")

HOSTILE = {
    # half a megabyte in a line that each failed check quotes
    "line": "def double(x): return x.nothing  # " + "é" * 250_000,
    # a tree of a hundred thousand statements behind an answer that has no line of its own
    "statements": 'def double(x):\n    return "no"\n' + "0\n" * 50_000,
    # a child that is killed at once, each time
    "killed": "import os, signal\ndef double(x):\n    os.kill(os.getpid(), signal.SIGKILL)\n",
    # names that are fatal in a terminal or a spreadsheet
    "text": 'def double(x):\n    raise ValueError("\\x1b]0;gone\\x07=cmd|calc <script>")  # \x1b[2J\u202e <script>\n',
    # what learners of this course rightly leave in their files
    "diagnosed": """\
import torch
from gradclinic import diagnose, explain, trace
def double(x):
    with trace():
        w = x.clone().requires_grad_()
        loss = (w * w).sum()
        loss.backward()
    print(diagnose(w, loss))
    print(diagnose(torch.nn.Linear(2, 2), loss))
    try:
        loss.backward()
    except RuntimeError as error:
        print(explain(error))
    return w.grad
""",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    room = tmp_path_factory.mktemp("class")
    for learner, text in {**HOSTILE, "ada": RIGHT}.items():
        (room / "given" / learner).mkdir(parents=True)
        (room / "given" / learner / "double.py").write_text(text)
    words = ["--course", str(COURSE), "grade", "given", "--out", "out", "--jobs", "1", "--seconds", "30"]
    done = subprocess.run(
        [sys.executable, "-m", "gradclinic", *words],
        cwd=room,
        env={**os.environ, "NO_COLOR": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    return room / "out", done


def test_each_is_a_row(graded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    out, done = graded
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert {row["learner"]: (row["points"], row["cause"]) for row in rows} == {
        "ada": (3.0, None),
        "diagnosed": (3.0, None),
        "killed": (0.0, "crashed"),
        "line": (0.0, "exception"),
        "statements": (0.0, "wrong_type"),
        "text": (0.0, "exception"),
    }
    lines = {row["learner"]: row["location"]["line"] for row in rows if row["location"]}
    assert lines == {"killed": 2, "line": 1, "statements": 1, "text": 2}


def test_no_row_is_long_and_no_text_is_more_than_text(
    graded: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    out, done = graded
    assert max(map(len, (out / "results.jsonl").read_text().splitlines())) < 60_000
    files = [file for file in out.rglob("*") if file.is_file() and file.suffix not in (".zip", ".jsonl")]
    for text in (*(file.read_text() for file in files if ".grade" not in file.parts), done.stdout, done.stderr):
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
    report = (out / "report.html").read_text()
    assert "&lt;script&gt;" in report
    assert '<script>")' not in report


def test_no_room_for_results_is_told_in_a_sentence_and_the_run_goes_on_later(tmp_path: Path) -> None:
    for learner in ("ada", "ben", "cleo", "dan", "eve", "fay"):
        (tmp_path / "given" / learner).mkdir(parents=True)
        (tmp_path / "given" / learner / "slope.py").write_text("def slope(w, x):\n    return 2 * w * x**2\n")
    words = [
        sys.executable,
        "-m",
        "gradclinic",
        "--course",
        str(COURSE),
        "grade",
        "given",
        "--out",
        "out",
        "--jobs",
        "1",
    ]
    environment = {**os.environ, "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}

    def grade(**more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False, **more
        )

    full = grade(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
    assert full.returncode == 2
    assert "no room left to write in out" in full.stderr
    assert "Traceback" not in full.stderr
    assert "gradclinic: error" not in full.stderr
    again = grade()
    assert again.returncode == 0, again.stderr
    assert "known from before" in again.stdout
    assert "6 of 6 answers pass" in again.stdout
    assert [path.name for path in (tmp_path / "out").iterdir() if path.name.endswith(".new")] == []


@pytest.mark.parametrize("out", ["given/out", "given/ada/out", "given/../given/out"])
def test_results_among_the_submissions_are_refused(tmp_path: Path, out: str) -> None:
    (tmp_path / "given" / "ada").mkdir(parents=True)
    words = [sys.executable, "-m", "gradclinic", "--course", str(COURSE), "grade", "given", "--out", out]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 2
    assert "lies in the folder of the submissions" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["given", "ada"]
