"""`gradescope/autograder.zip`: what Gradescope's container needs to grade by the same runner.

The package is not on an index, so its files travel in the archive, beside the checks of the course. Neither the
solutions nor the course that is shipped with the package are among them.
"""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import gradclinic
from gradclinic.classroom.points import Points
from gradclinic.course import Course

SETTINGS = "grade.json"
_NEEDED = ("torch", "numpy", "PyYAML", "nbformat")  # what grading imports; the last for notebooks
_LEFT_OUT = ("course_files", "publishing", "__pycache__")
_MOMENT = (1980, 1, 1, 0, 0, 0)  # so that equal contents are equal bytes

_SETUP = r"""#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the image.
set -euo pipefail

# Where the default PyTorch carries CUDA (gigabytes that no check needs), name the index of the small CPU build, as
# PyTorch's install page shows it: TORCH_PIP_ARGS="--index-url ADDRESS"
TORCH_PIP_ARGS="${TORCH_PIP_ARGS:-}"

cd "$(dirname "$0")"
[ -f requirements.txt ] || cd /autograder/source

fits() { "$1" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; }

python=""
for candidate in python3.14 python3.13 python3.12 python3.11 python3; do
  if fits "$candidate"; then python="$candidate"; break; fi
done
if [ -z "$python" ]; then
  apt-get update
  for candidate in python3.13 python3.12 python3.11; do
    if apt-get install -y --no-install-recommends "$candidate" "$candidate-venv" && fits "$candidate"; then
      python="$candidate"; break
    fi
  done
fi
if [ -z "$python" ]; then
  echo "Python 3.11 or newer is needed. Choose a newer base image, such as Ubuntu 24.04." >&2
  exit 1
fi
"$python" -m venv /opt/gradclinic
# shellcheck disable=SC2086 - several words are meant
/opt/gradclinic/bin/python -m pip install --no-cache-dir $TORCH_PIP_ARGS -r requirements.txt
"""

_RUN = r"""#!/usr/bin/env bash
# Runs for each submission, as root, and leaves results/results.json whatever happens.
autograder="$(cd "$(dirname "$0")" && pwd)"
[ -d "$autograder/source" ] || autograder=/autograder
export PYTHONPATH="$autograder/source/package" PYTHONDONTWRITEBYTECODE=1
"${GRADCLINIC_PYTHON:-/opt/gradclinic/bin/python}" -P -m gradclinic.classroom.container "$autograder"
if [ ! -s "$autograder/results/results.json" ]; then
  mkdir -p "$autograder/results"
  echo '{"score": 0, "output": "The grader did not start. This is not your fault: please tell your instructor."}' \
    > "$autograder/results/results.json"
fi
"""


def autograder(course: Course, exercises: Sequence[str], points: Points) -> bytes:
    """The archive, with `setup.sh` and `run_autograder` at its root as Gradescope asks."""
    settings = {"exercises": list(exercises), "points": points.text.split()}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", _SETUP.encode(), runs=True)
        _add(archive, "run_autograder", _RUN.encode(), runs=True)
        _add(archive, "requirements.txt", "".join(f"{line}\n" for line in _requirements()).encode())
        _add(archive, SETTINGS, json.dumps(settings, indent=1).encode() + b"\n")
        for name, file in (*_package(), *_course(course)):
            _add(archive, name, file.read_bytes())
    return content.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes, *, runs: bool = False) -> None:
    member = zipfile.ZipInfo(name, _MOMENT)
    member.create_system = 3  # Unix, whose modes follow
    member.external_attr = (stat.S_IFREG | (0o755 if runs else 0o644)) << 16
    archive.writestr(member, content, zipfile.ZIP_DEFLATED)


def _requirements() -> Iterator[str]:
    """The versions that graded here, so that both grade alike; `+cpu` and the like are names of one build only."""
    for name in _NEEDED:
        try:
            yield f"{name}=={version(name).partition('+')[0]}"
        except PackageNotFoundError:
            continue


def _package() -> Iterator[tuple[str, Path]]:
    root = Path(gradclinic.__file__).parent
    for file in _files(root):
        yield f"package/gradclinic/{file.relative_to(root).as_posix()}", file


def _course(course: Course) -> Iterator[tuple[str, Path]]:
    """Lessons and checks, without the solutions and the answers that test the checks."""
    for lesson in course.lessons:
        for file in (lesson.lesson_file, lesson.exercise_file):
            if file.is_file():
                yield f"course/{file.relative_to(course.root).as_posix()}", file
    checks = course.root / "checks"
    for file in _files(checks):
        if file.relative_to(checks).parts[0] != "answers":
            yield f"course/{file.relative_to(course.root).as_posix()}", file


def _files(root: Path) -> Iterator[Path]:
    for file in sorted(root.rglob("*")):
        if file.is_file() and not set(file.relative_to(root).parts) & set(_LEFT_OUT) and file.suffix != ".pyc":
            yield file
