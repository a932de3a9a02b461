"""A course of one lesson, written as small as a lesson can be; and the whole site, built and served to a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from filelock import FileLock  # comes with torch

from gradclinic.course import Course, Lesson, shipped_root

HEADER = """\
# ---
# jupyter:
#   gradclinic:
#     title: Tiny
#     id: tiny
#     question: What does 1 + 1 print?
#     causes: [off_the_path]
#     claims: []
#     symptoms:
#       - {text: "name 'lost' is not defined", kind: error, cell: asking}
#       - {text: nothing happens, kind: silent, cell: run}
#     objectives: [Add two numbers.]
#     minutes: {teach: 5, exercise: 7}
#     predict:
#       ask: What will it print?
#       choices:
#         - {text: two, when: "2", because: "It adds."}
#         - {text: three, when: "3", because: "It does not count the plus."}
#     notes:
#       predict: ["Ask: who says three?"]
#     hints: [Look at the plus., Count on your fingers., "Write 2."]
# ---
"""
CELLS = """
# %% [markdown]
# ## Predict

# %% tags=["predict"]
total = 1 + 1

# %% [markdown]
# ## Run

# %% tags=["run"]
print(total)

# %% tags=["asking", "raises-exception"]
print(
    lost)
"""


class Workshop:
    """Writes lessons into a course folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("lessons/01_tiny", "lessons/claims", "checks", "solutions", "docs"):
            (root / folder).mkdir(parents=True)
        (root / "checks" / "test_01_tiny.py").write_text("")
        (root / "lessons" / "01_tiny" / "exercise.py").write_text("# exercise: tiny\ndef two(): ...\n")
        (root / "solutions" / "01_tiny.py").write_text("# exercise: tiny\ndef two(): return 2\n")
        self.write()

    def write(self, cells: str = CELLS, change: Callable[[str], str] = lambda text: text) -> Lesson:
        """The lesson with these cells, its text changed as asked."""
        lesson = self.course.lessons[0]
        lesson.lesson_file.write_text(change(HEADER + cells))
        return Course(self.root).lessons[0]

    @property
    def course(self) -> Course:
        return Course(self.root)


@pytest.fixture(scope="session")
def make_workshop() -> Callable[[Path], Workshop]:
    return Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "course")


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A published copy of the course; what has already been executed in the repository is not executed again."""
    source, root = shipped_root(), tmp_path_factory.mktemp("site") / "course"
    with FileLock(tmp_path_factory.getbasetemp().parent / "publishing.lock"):  # of several workers one executes
        for name in ("lessons", "checks", "solutions", "docs", ".cache/gradclinic"):
            if (source / name).is_dir():
                shutil.copytree(source / name, root / name)
        shutil.copy(source / "mkdocs.yml", root)
        command = [sys.executable, "-m", "gradclinic.publishing", "--course", str(root)]
        subprocess.run(command, check=True, timeout=600)
        shutil.copytree(root / ".cache", source / ".cache", dirs_exist_ok=True)  # the next run of the tests is quicker
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(root / "site")]
    subprocess.run(command, check=True, timeout=300, cwd=root)
    return Course(root)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def address(course: Course) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(course.root / "site"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
