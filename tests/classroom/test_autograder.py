"""The archive for Gradescope, unpacked as its container lies, and run there with this interpreter.

Names at the root of the archive, the folders below /autograder and the copy of `run_autograder` in it: "Autograder
Specifications", sections "File hierarchy" and the one before, gradescope-autograders.readthedocs.io/en/latest/specs.
`submission_metadata.json`: GitHub gradescope/autograder_samples, docs/submission_metadata.md. A results file whatever
happens, and learners' code in a process of its own: docs/best_practices.md there. What `setup.sh` installs cannot be
installed in a test, and no container was at hand: its own steps are only read here.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gradclinic.classroom.autograder import autograder
from gradclinic.classroom.points import Points
from gradclinic.course import Course
from gradclinic.grading.isolation import LEVELS

COURSE = Course(Path(__file__).parents[1] / "course")
RIGHT = "# exercise: slope\ndef slope(w, x):\n    return 2 * w * x ** 2\n"
WRONG = "def slope(w, x):\n    return 4 * w * x ** 2\n"  # as if two passes had been added up
METADATA = {
    "id": 123456,
    "created_at": "2027-03-02T14:22:32.365935-07:00",
    "assignment": {"due_date": "2027-03-01T23:00:00.000000-07:00", "title": "Gradients", "total_points": "20.0"},
    "users": [{"email": "ada@example.org", "id": 1234, "name": "Ada A."}],
    "previous_submissions": [],
}


def archive(*words: str) -> bytes:
    return autograder(COURSE, ["double", "slope"], Points.parse(words, COURSE))


@pytest.fixture
def container(tmp_path: Path) -> Path:
    """A folder laid out like /autograder when the harness starts `run_autograder`."""
    root = tmp_path / "autograder"
    with zipfile.ZipFile(io.BytesIO(archive("1", "slope=3"))) as packed:
        packed.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    (root / "submission").mkdir()
    (root / "results").mkdir()
    (root / "submission_metadata.json").write_text(json.dumps(METADATA))
    return root


def run(root: Path, python: str = sys.executable) -> tuple[dict[str, Any], str]:
    """Runs it as the harness does: working directory /autograder, nothing of ours in the environment."""
    environment = {"PATH": os.environ["PATH"], "GRADCLINIC_PYTHON": python}
    done = subprocess.run(
        ["bash", str(root / "run_autograder")], cwd=root, env=environment, capture_output=True, text=True, timeout=300
    )
    told: dict[str, Any] = json.loads((root / "results" / "results.json").read_text())
    return told, done.stdout + done.stderr


def scores(told: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {test["name"].partition(":")[0]: (test["score"], test["max_score"]) for test in told["tests"]}


def test_a_right_and_a_missing_answer(container: Path) -> None:
    (container / "submission" / "exercise.py").write_text(RIGHT)
    init = container / "source" / "package" / "gradclinic" / "__init__.py"
    init.write_text(init.read_text().replace('__version__ = "', '__version__ = "of-the-archive-'))
    told, said = run(container)
    assert (told["score"], said) == (3.0, "")
    assert scores(told) == {"slope": (3.0, 3.0), "double": (0.0, 3.0)}
    assert "slope: handed in late." in told["output"]
    assert told["extra_data"]["gradclinic"].startswith("of-the-archive-")
    assert told["extra_data"]["isolation"].partition(";")[0] in LEVELS
    assert told["stdout_visibility"] == "hidden"


def test_a_wrong_answer_is_explained_to_its_learner(container: Path) -> None:
    (container / "submission" / "slope.py").write_text(WRONG)
    told, _ = run(container)
    assert told["score"] == 0.0
    (test,) = [test for test in told["tests"] if test["name"].startswith("slope")]
    assert test["tags"] == ["slope", "accumulated"]
    assert "slope.py:1" in test["output"]
    assert str(container) not in json.dumps(told)


def test_code_that_writes_its_own_results_gains_nothing(container: Path) -> None:
    file = container / "results" / "results.json"
    (container / "submission" / "slope.py").write_text(
        f"import os\ntry:\n    open({str(file)!r}, 'w').write('{{\"score\": 99}}')\nexcept OSError:\n    pass\n"
        "def slope(w, x):\n    os._exit(0)\n"
    )
    told, _ = run(container)
    assert told["score"] == 0.0
    assert told["tests"][-1]["tags"] == ["slope", "exited"]


def test_links_and_other_files_are_told_and_graded_is_what_is_left(container: Path) -> None:
    (container / "submission" / "slope.py").write_text(RIGHT)
    (container / "submission" / "double.py").symlink_to(container / "source" / "grade.json")
    (container / "submission" / "notes.txt").write_text("hello")
    told, _ = run(container)
    assert told["score"] == 3.0
    assert "double.py" in told["output"]
    assert "notes.txt" in told["output"]


def test_a_grader_that_fails_leaves_a_results_file_and_tells_its_instructor(container: Path) -> None:
    (container / "source" / "grade.json").write_text("{")
    told, said = run(container)
    assert told["score"] == 0
    assert "This is not your fault" in told["output"]
    assert "JSONDecodeError" in said


def test_without_an_interpreter_there_is_a_results_file_too(container: Path) -> None:
    told, _ = run(container, "/no/such/python")
    assert told == {
        "score": 0,
        "output": "The grader did not start. This is not your fault: please tell your instructor.",
    }


def test_the_scripts_lie_at_the_root_and_may_be_run() -> None:
    with zipfile.ZipFile(io.BytesIO(archive())) as packed:
        modes = {one.filename: one.external_attr >> 16 for one in packed.infolist()}
    assert {name for name in modes if "/" not in name} == {
        "setup.sh",
        "run_autograder",
        "requirements.txt",
        "grade.json",
    }
    assert (modes["setup.sh"], modes["run_autograder"]) == (0o100755, 0o100755)


def test_neither_solutions_nor_answers_travel() -> None:
    with zipfile.ZipFile(io.BytesIO(archive())) as packed:
        names = packed.namelist()
    assert [name for name in names if name.startswith("course/checks/test_")] == [
        "course/checks/test_01_double.py",
        "course/checks/test_02_slope.py",
        "course/checks/test_03_step.py",
    ]
    assert [name for name in names if "solution" in name or "answers/" in name or "course_files" in name] == [
        "package/gradclinic/cli/solution.py"
    ]


def test_equal_courses_give_equal_archives() -> None:
    assert archive("2") == archive("2")
    assert archive("2") != archive("3")


def test_versions_are_pinned_without_the_names_of_builds() -> None:
    with zipfile.ZipFile(io.BytesIO(archive())) as packed:
        lines = packed.read("requirements.txt").decode().splitlines()
    assert [line.partition("==")[0] for line in lines][:3] == ["torch", "numpy", "PyYAML"]
    assert not any("+" in line for line in lines)


@pytest.mark.parametrize("script", ["setup.sh", "run_autograder"])
def test_bash_can_read_the_scripts(script: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(archive())) as packed:
        content = packed.read(script)
    assert content.startswith(b"#!/usr/bin/env bash\n")
    assert subprocess.run(["bash", "-n"], input=content, timeout=60).returncode == 0
