"""The verdict that the README shows is the one that the tool gives."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

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


def test_the_answer_in_the_docs_is_what_the_program_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "diagnose.md").read_text(encoding="utf-8")
    program, shown = re.findall(r"```(?:python|text)\n(.*?)```\n", page, re.DOTALL)
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (run.stdout, run.stderr) == (shown, "")
