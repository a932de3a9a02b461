"""init: the whole course in a folder of its own, and nothing that a learner should not see."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradclinic.course import Course, shipped_root


def gradclinic(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "gradclinic", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", env=environment)


@pytest.fixture
def laid_out(tmp_path: Path) -> Path:
    result = gradclinic(tmp_path, "init", "my-clinic")
    assert result.returncode == 0, result.stderr
    return tmp_path / "my-clinic"


def test_the_course_is_there_without_answers_and_solutions(laid_out: Path) -> None:
    slugs = [lesson.slug for lesson in Course(shipped_root()).lessons]
    assert [lesson.slug for lesson in Course(laid_out).lessons] == slugs
    assert len(slugs) >= 1
    names = {file.relative_to(laid_out).as_posix() for file in laid_out.rglob("*")}
    assert {"pytest.ini", ".gitignore", "README.md", "lessons", "checks"} == {name for name in names if "/" not in name}
    assert not [name for name in names if "__pycache__" in name or "answers" in name or name.startswith("solutions")]
    assert (laid_out / "pytest.ini").read_text() == "[pytest]\ntestpaths = checks\n"
    assert ".gradclinic/" in (laid_out / ".gitignore").read_text().splitlines()


def test_the_claims_travel_along(laid_out: Path) -> None:
    here, there = (root / "lessons" / "claims" for root in (shipped_root(), laid_out))
    assert sorted(file.name for file in there.glob("*.py")) == sorted(file.name for file in here.glob("*.py"))


def test_reset_solution_and_hint_work_there(laid_out: Path) -> None:
    lesson = Course(laid_out).lessons[0]
    original = lesson.exercise_file.read_bytes()
    lesson.exercise_file.write_text("mine")
    assert gradclinic(laid_out, "reset", "1", "--yes").returncode == 0
    assert lesson.exercise_file.read_bytes() == original
    assert [file.read_text() for file in (laid_out / ".gradclinic" / "backups").iterdir()] == ["mine"]
    solution = gradclinic(laid_out, "solution", "1", "--give-up")
    assert solution.stdout == Course(shipped_root()).lessons[0].solution_file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["occupied", "a_file"])
def test_what_exists_is_never_touched(tmp_path: Path, name: str) -> None:
    (tmp_path / "occupied").mkdir()
    (tmp_path / "occupied" / "work.py").write_text("mine")
    (tmp_path / "a_file").write_text("mine")
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    result = gradclinic(tmp_path, "init", name)
    assert result.returncode == 2
    assert "Nothing was changed" in result.stderr
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert gradclinic(tmp_path, "init", "empty").returncode == 0
    assert (tmp_path / "empty" / "checks").is_dir()


def test_the_untouched_course_fails_without_an_error(laid_out: Path) -> None:
    result = gradclinic(laid_out, "check", "1", "--json")
    assert (result.returncode, result.stderr) == (1, "")
    (row,) = json.loads(result.stdout)
    assert row["passed"] is False
    assert all(check["state"] != "broken" for check in row["checks"])
