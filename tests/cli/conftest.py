"""A small course of three exercises, and the real command run on it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

HEADER = """\
# ---
# jupyter:
#   gradclinic:
#     title: Twice
#     id: double
#     question: What is twice the value?
#     minutes: {teach: 5, exercise: 10}
#     hints:
#       - Look at the return line.
#       - Which operation doubles?
#       - "return 2 * x"
# ---

# %% [markdown]
# ## Predict
"""
FILES = {
    "lessons/01_double/lesson.py": HEADER,
    "lessons/01_double/exercise.py": """\
        # exercise: double
        \"\"\"TODO: return twice the values.\"\"\"


        def double(x):
            return x
        """,
    "solutions/01_double.py": """\
        # exercise: double
        \"\"\"TODO: return twice the values.\"\"\"


        def double(x):
            return 2 * x  # the solution
        """,
    "checks/test_01_double.py": """\
        from gradclinic.grading.checking import Exercise, expect, normal


        def test_twice_the_values(exercise: Exercise) -> None:
            x = normal(3)
            expect("the result", exercise.double(x), 2 * x.double(), otherwise={"wrong_scale": 3 * x.double()})
        """,
    "checks/answers/01_double/wrong_three.py": """\
        # expects: wrong_scale
        # exercise: double
        def double(x):
            return 3 * x
        """,
    "lessons/02_slope/exercise.py": """\
        # exercise: slope
        \"\"\"TODO: return the gradient of the sum of squares.\"\"\"


        def slope(w):
            w = w.clone().requires_grad_()
            loss = (w**2).sum()
            return w.grad
        """,
    "solutions/02_slope.py": """\
        # exercise: slope
        def slope(w):
            w = w.clone().requires_grad_()
            loss = (w**2).sum()
            loss.backward()
            return w.grad
        """,
    "checks/test_02_slope.py": """\
        from gradclinic.grading.checking import Exercise, expect, normal


        def test_the_slope(exercise: Exercise) -> None:
            w = normal(3)
            expect("the slope", exercise.slope(w), 2 * w.double())
        """,
    "lessons/03_half/exercise.py": """\
        # exercise: half
        \"\"\"TODO: return half the values.\"\"\"


        def half(x):
            return x
        """,
    "solutions/03_half.py": """\
        # exercise: half
        def half(x):
            return x / 2
        """,
    "checks/test_03_half.py": """\
        from gradclinic.grading.checking import Exercise, expect, normal


        def test_half_the_values(exercise: Exercise) -> None:
            x = normal(3)
            expect("the result", exercise.half(x), x.double() / 2)
        """,
}


@dataclass(frozen=True)
class Clinic:
    """A course folder, and `gradclinic` run in it."""

    root: Path

    def run(self, *arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.root,
            input=stdin,
            capture_output=True,
            encoding=env.get("PYTHONIOENCODING", "utf-8"),
            env=self.environment(**env),
            timeout=120,
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "gradclinic", *arguments]

    def environment(self, **env: str) -> dict[str, str]:
        base = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
        return base | {"PYTHONIOENCODING": "utf-8", "TERM": "xterm-256color"} | env

    def exercise(self, slug: str) -> Path:
        return self.root / "lessons" / slug / "exercise.py"

    def solve(self, slug: str) -> None:
        self.exercise(slug).write_bytes((self.root / "solutions" / f"{slug}.py").read_bytes())


def lay_out(root: Path) -> Clinic:
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    return Clinic(root)


@pytest.fixture
def clinic(tmp_path: Path) -> Clinic:
    return lay_out(tmp_path / "course")
