"""What a learner's code does to its own process, to files and to other processes stays without effect elsewhere."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Grader

pytestmark = pytest.mark.usefixtures("nothing_left")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and a subreaper")
RIGHT = "def double(x):\n    return 2 * x\n"


def value_of(grade: Grader, expression: str, head: str = "") -> str:
    """What an expression gives inside the child, as text."""
    text = f"import os, sys, tempfile, torch\n{head}\ndef double(x):\n    print({expression})\n    return 2 * x\n"
    verdict = grade(text, "double")
    assert verdict.passed, verdict.checks
    return verdict.checks[0].prints.strip()


def test_the_module_is_called_exercise_and_nothing_else_runs_in_its_process(grade: Grader) -> None:
    assert value_of(grade, "__name__, sys.argv") == "exercise ['exercise']"
    assert value_of(grade, "sys.modules['exercise'].double is double") == "True"
    assert value_of(grade, "os.getpid()") != str(os.getpid())
    assert value_of(grade, "__file__") == str(grade.folder / "exercise.py")


def test_it_works_in_an_empty_folder_that_is_gone_afterwards(grade: Grader) -> None:
    assert value_of(grade, "os.listdir()") == "[]"
    places = value_of(grade, "os.getcwd(), tempfile.gettempdir()").split()
    assert places[0] == places[1]
    assert places[0] != os.getcwd()
    written = value_of(grade, "open('note', 'w').write('kept?'), os.path.abspath('note')").split()
    assert written[0] == "5"
    assert not os.path.exists(written[1])
    assert not os.path.exists(places[0])


def test_a_helper_beside_the_exercise_can_be_imported_and_no_cache_is_written(grade: Grader) -> None:
    (grade.folder / "helper.py").write_text("def twice(x):\n    return 2 * x\n")
    assert grade("from helper import twice\ndef double(x):\n    return twice(x)\n", "double").passed
    assert sorted(path.name for path in grade.folder.iterdir()) == ["exercise.py", "helper.py"]


@pytest.mark.parametrize(
    "leak",
    [
        "torch.set_grad_enabled(False)",
        "torch.set_default_dtype(torch.float16)",
        "torch.manual_seed(0); torch.set_num_threads(3)",
        "torch.allclose = torch.equal = lambda *a, **k: True",
        "torch.Tensor.__eq__ = torch.Tensor.__sub__ = lambda *a: torch.tensor(True)",
        "import builtins; builtins.abs = builtins.all = lambda *a: True",
        "os.environ['OMP_NUM_THREADS'] = '64'; sys.path.clear(); os.chdir('/')",
        "os.nice(5)",
    ],
)
def test_leaked_state_changes_no_verdict(grade: Grader, leak: str) -> None:
    assert grade(f"import os, sys, torch\n{leak}\ndef double(x):\n    return 3 * x\n", "double").cause is not None
    assert grade("import torch\ndef double(x):\n    return x\n", "double").cause == "wrong_value"
    assert grade("def double(x):\n    return 3 * x\n", "double").cause == "wrong_scale"
    assert grade(RIGHT, "double").passed
    assert value_of(grade, "torch.is_grad_enabled(), torch.get_default_dtype()") == "True torch.float32"


def test_one_check_leaves_nothing_to_the_next(grade: Grader) -> None:
    text = """\
        import torch
        seen = []
        def double(x):
            seen.append(x)
            torch.set_grad_enabled(False)
            return len(seen) * 2 * x
        """
    assert grade(text, "double").passed


def test_changing_the_arguments_does_not_move_the_target(grade: Grader) -> None:
    assert grade("def double(x):\n    return x.mul_(2)\n", "double").passed
    verdict = grade("def double(x):\n    x.zero_()\n    return x\n", "double")
    assert verdict.cause != "passed"
    assert [row.state for row in verdict.checks] == ["failed"] * 3


def test_a_tensor_that_claims_to_be_equal_is_compared_by_its_numbers(grade: Grader) -> None:
    text = """\
        import torch
        class Liar(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return True
            def __eq__(self, other):
                return True
        def double(x):
            return (3 * x).as_subclass(Liar)
        """
    assert grade(text, "double").cause == "wrong_scale"


def test_more_threads_in_the_child_do_not_hang(grade: Grader) -> None:
    text = """\
        import torch
        def double(x):
            torch.set_num_threads(4)
            a = torch.ones(64, 64, requires_grad=True)
            (a @ a).sum().backward()
            return 2 * x * a.grad[0, 0] / 128
        """
    assert [grade(text, "double").passed for _ in range(2)] == [True, True]


def gone(pid: int) -> bool:
    for _ in range(100):  # what was killed needs a moment to be reaped
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@linux
@pytest.mark.parametrize("way", ["a child", "a daemon", "a daemon of a hanging child", "a daemon without a server"])
def test_no_process_is_left(grade: Grader, grade_briefly: Grader, way: str) -> None:
    leaves_session = "os.setsid(); os.fork() and os._exit(0)" if "daemon" in way else "pass"
    last = {"hanging": "time.sleep(1000)", "without": "os.kill(os.getppid(), 9); time.sleep(1000)"}
    ends = next((code for word, code in last.items() if word in way), "pass")
    text = f"""\
        import os, time
        def double(x):
            if os.fork() == 0:
                {leaves_session}
                with open(os.path.dirname(__file__) + "/pid", "w") as file:
                    file.write(str(os.getpid()))
                time.sleep(1000)
            while not os.path.exists(os.path.dirname(__file__) + "/pid"):
                time.sleep(0.01)
            time.sleep(0.05)
            {ends}
            return 2 * x
        """
    verdict = (grade if ends == "pass" else grade_briefly)(text, "double")
    assert verdict.passed == (ends == "pass")
    assert gone(int((grade.folder / "pid").read_text()))


@linux
def test_a_reply_from_a_forked_copy_is_no_second_answer(grade: Grader) -> None:
    assert grade("import os\ndef double(x):\n    os.fork()\n    return 2 * x\n", "double").passed


@linux
def test_a_killed_server_costs_one_check_and_is_started_again(grade: Grader) -> None:
    text = """\
        import os, time
        def double(x):
            if x.ndim == 2:
                os.kill(os.getppid(), 9)
                time.sleep(1000)
            return 2 * x
        """
    verdict = grade(text, "double")
    assert [row.state for row in verdict.checks] == ["passed", "failed", "passed"]
    assert verdict.cause == "crashed"
    assert verdict.checks[1].message == "double crashed the program: it also killed the process that had started it"
    assert grade(RIGHT, "double").passed


@linux
def test_a_server_killed_on_the_way_out_harms_no_later_check(grade: Grader) -> None:
    text = "import os\ndef double(x):\n    if x.ndim == 1:\n        os.kill(os.getppid(), 9)\n    return 2 * x\n"
    verdict = grade(text, "double")
    assert [row.state for row in verdict.checks[1:]] == ["passed", "passed"]


@linux
def test_the_judge_cannot_be_reached_by_a_signal_to_the_group(grade: Grader) -> None:
    assert value_of(grade, "os.getpgid(0) == os.getpid() == os.getsid(0)") == "True"


def test_files_of_the_course_are_not_opened_in_the_child(grade: Grader, tmp_path: Path) -> None:
    opened = value_of(grade, "[os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd')[:-1]]")
    assert "checks" not in opened
