"""`pytest checks` as a real pytest, in a process of its own, on a copy of the fixture course."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Grader

COURSE = Path(__file__).parents[1] / "course"


class Clinic:
    """A learner's course folder, and pytest run in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(COURSE, root, ignore=shutil.ignore_patterns("__pycache__"))
        (root / "conftest.py").unlink()  # it keeps the suite around this one out

    def pytest(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "checks", "-p", "no:cacheprovider", *map(str, arguments)]
        env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COLUMNS"))}
        return subprocess.run(command, cwd=self.root, env=env, capture_output=True, text=True, timeout=120)

    def solve(self, *slugs: str) -> None:
        for slug in slugs:
            shutil.copy(self.root / "solutions" / f"{slug}.py", self.root / "lessons" / slug / "exercise.py")


@pytest.fixture
def clinic(tmp_path: Path) -> Clinic:
    return Clinic(tmp_path / "clinic")


def last(run: subprocess.CompletedProcess[str]) -> str:
    return run.stdout.strip().splitlines()[-1].strip("= ").partition(" in ")[0]


def test_untouched_exercises_fail_and_none_is_an_error(clinic: Clinic) -> None:
    run = clinic.pytest()
    assert (run.returncode, last(run)) == (1, "5 failed")
    assert "cause: no_backward - No backward pass has put a gradient there yet" in run.stdout
    assert "  lessons/02_slope/exercise.py:8\n" in run.stdout
    assert "hint: gradclinic hint slope" in run.stdout
    assert "repeat with: --seed " in run.stdout
    assert "gradclinic/grading" not in run.stdout  # no traceback of the grader's


def test_solved_exercises_pass(clinic: Clinic) -> None:
    clinic.solve("01_double", "02_slope", "03_step")
    run = clinic.pytest()
    assert (run.returncode, last(run)) == (0, "5 passed")
    assert not list(clinic.root.glob("lessons/**/__pycache__"))


def test_names_and_k_select_like_any_tests(clinic: Clinic) -> None:
    clinic.solve("01_double")
    run = clinic.pytest("-v", "-k", "table or block")
    assert (run.returncode, last(run)) == (0, "2 passed, 3 deselected")
    assert "checks/test_01_double.py::test_a_table PASSED" in run.stdout


def test_x_stops_at_the_first_failure(clinic: Clinic) -> None:
    run = clinic.pytest("-x")
    assert run.returncode == 1
    assert "1 failed" in run.stdout.splitlines()[-1]
    assert "passed" not in run.stdout.splitlines()[-1]


def test_junitxml_holds_a_case_per_check(clinic: Clinic) -> None:
    clinic.solve("02_slope", "03_step")
    (clinic.root / "lessons/01_double/exercise.py").write_text(
        "def double(x):\n"
        "    if x.ndim == 1:\n"
        "        return 2 * x\n"
        "    print('\\x1b[31m\\0')\n"
        "    raise ValueError('\\x1b[31m\\0')\n"
    )
    assert clinic.pytest("--junitxml", "report.xml").returncode == 1
    [suite] = ElementTree.parse(clinic.root / "report.xml").getroot()
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "2",
        "errors": "0",
        "skipped": "0",
    }
    cases = {case.get("name"): [child.tag for child in case] for case in suite}
    assert cases["test_a_row"] == []
    assert "failure" in cases["test_a_table"]


LAYOUTS = {
    "hers/02_slope.py": "02_slope",
    "hers/01_double/exercise.py": "01_double",
    "hers/02_slope/wrong_one.py": "02_slope[wrong_one]",
    "hers/02_slope/right_two.py": "02_slope[right_two]",
}


def test_answers_of_each_layout(clinic: Clinic) -> None:
    for file, label in LAYOUTS.items():
        (clinic.root / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(clinic.root / "solutions" / f"{label.partition('[')[0]}.py", clinic.root / file)
    run = clinic.pytest("--answers", "hers", "-v", "-k", "slope or row")
    assert (run.returncode, last(run)) == (0, "4 passed, 2 deselected")
    for label in LAYOUTS.values():
        assert f"::{label}::test_" in run.stdout


def test_all_answers_of_a_folder_of_right_and_wrong_ones(clinic: Clinic) -> None:
    run = clinic.pytest("--answers", "checks/answers/02_slope", "-v")
    assert (run.returncode, last(run)) == (1, "2 failed, 1 passed")
    for outcome in ("wrong_detached]::{} FAILED", "wrong_never_backward]::{} FAILED", "right_by_hand]::{} PASSED"):
        assert "02_slope[" + outcome.format("test_the_slope") in run.stdout
    assert "wrong_detached.py:7" in run.stdout


@pytest.mark.parametrize(("name", "label"), [("mine.py", "02_slope[mine]"), ("02_slope.py", "02_slope")])
def test_one_file_is_known_by_its_first_line_or_its_name(clinic: Clinic, name: str, label: str) -> None:
    text = (clinic.root / "solutions/02_slope.py").read_text()
    (clinic.root / name).write_text(text if name == "mine.py" else text.partition("\n")[2])
    run = clinic.pytest("--answers", name, "-v")
    assert (run.returncode, last(run)) == (0, "1 passed")
    assert f"{label}::test_the_slope PASSED" in run.stdout


BAD_PATHS = [
    ("nowhere", "there is no such file or folder"),
    ("empty", "holds no answer"),
    ("what.py", "which exercise is this? Put its name in the first line, such as `# exercise: double`"),
]


@pytest.mark.parametrize(("path", "said"), BAD_PATHS, ids=[path for path, _ in BAD_PATHS])
def test_a_path_that_leads_nowhere_is_wrong_usage(clinic: Clinic, path: str, said: str) -> None:
    (clinic.root / "empty").mkdir()
    (clinic.root / "what.py").write_text("x = 1\n")
    run = clinic.pytest("--answers", path)
    assert run.returncode not in (0, 1)
    assert said in " ".join((run.stdout + run.stderr).split())
    assert "Traceback" not in run.stdout + run.stderr


def test_a_seed_repeats_a_run_anywhere(clinic: Clinic, grade: Grader) -> None:
    text = "def double(x):\n    return 3 * x\n"
    (clinic.root / "lessons/01_double/exercise.py").write_text(text)
    run = clinic.pytest("-k", "row", "--seed", "4")
    row = grade(text, "double", seed=4).checks[0]
    assert f"got       {row.got}\n  expected  {row.expected}\n" in run.stdout
    assert grade(text, "double", seed=5).checks[0].got != row.got


HANGS = """\
import time


def double(x):
    print("about to wait")
    time.sleep(1000)
"""


def test_a_hang_shows_its_line_its_prints_and_what_was_not_reached(clinic: Clinic) -> None:
    (clinic.root / "lessons/01_double/exercise.py").write_text(HANGS)
    run = clinic.pytest("-k", "double")
    assert (run.returncode, last(run)) == (1, "3 failed, 2 deselected")
    assert "timeout: double was still running" in run.stdout
    assert "lessons/01_double/exercise.py:6" in run.stdout
    assert "printed | about to wait" in run.stdout
    assert run.stdout.count("not reached: the time was used up") >= 2


def test_learner_code_runs_in_another_process(clinic: Clinic) -> None:
    text = "import os\n\n\ndef double(x):\n    raise ValueError(f'pid {os.getpid()} parent {os.getppid()}')\n"
    (clinic.root / "lessons/01_double/exercise.py").write_text(text)
    (clinic.root / "checks/conftest.py").write_text(
        'import os\n\npytest_plugins = ["gradclinic.grading.plugin"]\nprint(f"own {os.getpid()}.")\n'
    )
    run = clinic.pytest("-k", "row", "-s")
    own = run.stdout.partition("own ")[2].partition(".")[0]
    assert own.isdigit()
    assert "double raised ValueError: pid " in run.stdout
    assert f"pid {own} " not in run.stdout


def test_in_process_runs_it_here_and_says_that_it_trusts_it(clinic: Clinic) -> None:
    text = "import sys\n\n\ndef double(x):\n    assert 'pytest' in sys.modules\n    return 2 * x\n"
    (clinic.root / "lessons/01_double/exercise.py").write_text(text)
    run = clinic.pytest("--in-process", "-k", "double")
    assert (run.returncode, last(run)) == (0, "3 passed, 2 deselected")
    assert "isolation in-process (the learner's code runs in this process and is trusted)" in run.stdout


def test_prints_and_warnings_of_a_failing_answer_are_shown_without_terminal_codes(clinic: Clinic) -> None:
    text = "import warnings\n\n\ndef double(x):\n    print('\\x1b[31mred')\n    warnings.warn('careful')\n"
    text += "    return 3 * x\n"
    (clinic.root / "lessons/01_double/exercise.py").write_text(text)
    run = clinic.pytest("-k", "row")
    assert "printed | [31mred" in run.stdout
    assert "warning (not scored), line 6: UserWarning: careful" in run.stdout
    assert "\x1b" not in run.stdout


def test_a_check_that_is_wrong_itself_is_told_apart(clinic: Clinic) -> None:
    (clinic.root / "checks/test_02_slope.py").write_text("def test_wrong(exercise):\n    assert 1 == 2, 'oh'\n")
    run = clinic.pytest("-k", "slope")
    assert run.returncode == 1
    assert "the check itself is wrong: AssertionError: oh" in run.stdout


def test_help_and_collecting_start_no_child(clinic: Clinic) -> None:
    assert "--answers=PATH" in clinic.pytest("--help").stdout
    run = clinic.pytest("--collect-only", "-q")
    assert "checks/test_02_slope.py::test_the_slope" in run.stdout
    assert run.returncode == 0
