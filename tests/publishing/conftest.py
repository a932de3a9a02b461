"""A course of one lesson, written as small as a lesson can be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradclinic.course import Course, Lesson

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
