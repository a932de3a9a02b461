"""`gradclinic init DIR`: lays out the course in a folder of its own, and never overwrites."""

from __future__ import annotations

import argparse
import shutil
import stat
from pathlib import Path

from gradclinic.cli.console import say
from gradclinic.course import Course, CourseError, shipped_root

_PYTEST = "[pytest]\ntestpaths = checks\n"
_IGNORE = ".gradclinic/\n__pycache__/\n.pytest_cache/\n"
_README = """# The Gradient Clinic

Why is my gradient None, zero or wrong, and where did it get lost?

    gradclinic              where you are and what to do next
    gradclinic list         the exercises
    gradclinic read 1       read a lesson here, with its code run now
    gradclinic check 1      check one exercise (a number, or a part of its name)
    gradclinic watch        check the current exercise each time you save it
    gradclinic hint 1       one more hint

You edit `lessons/NN_name/exercise.py`. The lesson is beside it, in `lesson.py`: `gradclinic read` shows it, or run
it cell by cell as a notebook.
`pytest` works here, too. `.gradclinic/` holds your progress and backups.
"""
_LEAVE_OUT = shutil.ignore_patterns("__pycache__", "answers", ".*")


def run(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{folder} exists and is not an empty folder. Nothing was changed: choose another name.")
    shipped = Course(shipped_root())
    if not shipped.lessons:
        raise CourseError(f"This installation carries no course: {shipped.root} has no checks. Install it again.")
    for name in ("lessons", "checks"):
        shutil.copytree(shipped.root / name, folder / name, ignore=_LEAVE_OUT)
    for path in folder.rglob("*"):  # an installation may be read-only, the learner's copy is not
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
    for name, text in (("pytest.ini", _PYTEST), (".gitignore", _IGNORE), ("README.md", _README)):
        (folder / name).write_text(text, encoding="utf-8")
    say(f"✓ The course is in {folder}: {len(shipped.lessons)} exercises.", "good")
    say()
    say(f"  cd {folder}", "code")
    say("  gradclinic", "code")
    return 0
