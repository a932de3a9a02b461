"""The verdict that the README shows is the one that the tool gives."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gradclinic.course import find_course

ROOT = Path(__file__).parents[1]


def test_the_verdict_in_the_readme_is_what_check_prints(tmp_path: Path) -> None:
    shown = re.search(r"```\n(✗ 03_leaf_or_not.*?)```\n", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    course = tmp_path / "clinic"
    for folder in ("lessons", "checks"):
        shutil.copytree(ROOT / folder, course / folder, ignore=shutil.ignore_patterns("answers", "__pycache__"))
    lesson = find_course(course).find("leaf_or_not")
    original = subprocess.run(
        ["git", "show", f"HEAD:lessons/{lesson.slug}/exercise.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if original.returncode == 0:  # a learner's own work in this clone is not what the README shows
        lesson.exercise_file.write_text(original.stdout, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "gradclinic", "check", "3", "--seed", "7"],
        cwd=course,
        env={**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 1, run.stderr
    assert run.stdout.startswith(shown[1])


@pytest.mark.parametrize(
    ("page", "words"), [("diagnose.md", ["train.py"]), ("run.md", ["-m", "gradclinic", "run", "train.py"])]
)
def test_what_a_page_shows_is_what_its_program_prints(page: str, words: list[str], tmp_path: Path) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    program, shown = re.findall(r"```(?:python|text)\n(.*?)```\n", text, re.DOTALL)
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    told = run.stdout + run.stderr[max(run.stderr.find("---- gradclinic run"), 0) :]
    assert _without_version(told) == _without_version(shown)


def _without_version(text: str) -> str:
    return re.sub(r"torch \d\S*", "torch", text)
