"""The ways to isolate a learner's code give the same verdicts; each says how it did it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from gradclinic.grading.answers import find_answers
from gradclinic.grading.judge import Judge
from gradclinic.grading.limits import Limits
from gradclinic.grading.servers import ForkServer

if TYPE_CHECKING:
    from gradclinic.course import Course

    from .conftest import Grader

ENDS = ("[wrong_crashes]", "[wrong_exits]", "[wrong_hangs]")  # what the code of one's own process must not do
FACTS = ("answer", "passed", "cause", "location", "seed")
CHECK_FACTS = ("name", "state", "cause", "message", "got", "expected", "prints", "warnings", "location")
EVERY = {
    "01_double": ("passed", None),
    "01_double[wrong_crashes]": ("failed", "crashed"),
    "01_double[wrong_exits]": ("failed", "exited"),
    "01_double[wrong_hangs]": ("failed", "timeout"),
    "01_double[wrong_raises]": ("failed", "exception"),
    "01_double[wrong_scale]": ("failed", "wrong_scale"),
    "01_double[wrong_type]": ("failed", "wrong_type"),
    "01_double[right_noisy]": ("passed", None),
    "02_slope": ("passed", None),
    "02_slope[wrong_never_backward]": ("failed", "no_backward"),
    "02_slope[wrong_detached]": ("failed", "detached"),
    "02_slope[right_by_hand]": ("passed", None),
    "03_step": ("passed", None),
}


def told(row: dict[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in FACTS} | {"checks": [{k: c[k] for k in CHECK_FACTS} for c in row["checks"]]}


def rows(judge: Judge, course: Course, labels: Iterable[str] = EVERY) -> dict[str, dict[str, Any]]:
    answers = [a for where in ("solutions", "checks/answers") for a in find_answers(course, course.root / where)]
    return {answer.label: judge.grade(answer, seed=3).row() for answer in answers if answer.label in labels}


@pytest.fixture(scope="module")
def executed(course: Course, impatient_judge: Judge) -> dict[str, dict[str, Any]]:
    return rows(impatient_judge, course)


def test_every_answer_of_the_fixture_course_gets_its_verdict(executed: dict[str, dict[str, Any]]) -> None:
    assert {label: ("passed" if row["passed"] else "failed", row["cause"]) for label, row in executed.items()} == EVERY
    assert {row["isolation"] for row in executed.values()} == {"fork"}


def test_without_fork_a_fresh_process_for_each_check_says_the_same(
    course: Course, executed: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fork", raising=False)  # as on Windows
    labels = ["01_double[wrong_hangs]", "02_slope", "02_slope[wrong_detached]"]  # each process imports torch
    with Judge(Limits(seconds=1.5)) as judge:
        mine = rows(judge, course, labels)
    assert {row["isolation"] for row in mine.values()} == {"process"}
    assert {label: told(mine[label]) for label in labels} == {label: told(executed[label]) for label in labels}


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="the server is not forked here")
def test_a_judge_made_before_torch_is_imported_forks_and_says_the_same(
    course: Course, executed: dict[str, dict[str, Any]]
) -> None:
    program = """if True:
        import json, sys
        from pathlib import Path
        from gradclinic.course import Course
        from gradclinic.grading.answers import find_answers
        from gradclinic.grading.judge import Judge
        from gradclinic.grading.limits import Limits
        assert "torch" not in sys.modules
        with Judge(Limits(seconds=1.5)) as judge:
            assert "torch" in sys.modules
            course = Course(Path(sys.argv[1]))
            found = [a for where in ("solutions", "checks/answers") for a in find_answers(course, course.root / where)]
            print(json.dumps([judge.grade(answer, seed=3).row() for answer in found]))
        """
    done = subprocess.run([sys.executable, "-c", program, course.root], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    mine = {row["answer"]: row for row in json.loads(done.stdout)}
    assert {row["isolation"] for row in mine.values()} == {"fork"}
    as_json = json.loads(json.dumps({label: told(row) for label, row in executed.items()}))
    assert {label: told(row) for label, row in mine.items()} == as_json


def test_in_process_says_the_same_and_that_it_trusts_the_code(
    course: Course, executed: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    with Judge(in_process=True) as judge:
        mine = rows(judge, course, [label for label in EVERY if not label.endswith(ENDS)])
    assert {row["isolation"] for row in mine.values()} == {"in-process"}
    for label, row in mine.items():
        noise = {"prints": None}  # they are on the screen already
        assert [c | noise for c in told(row)["checks"]] == [c | noise for c in told(executed[label])["checks"]]
    assert "doubling" in capsys.readouterr().out


LEAKS = """\
import os, random, sys, warnings
import torch


def double(x):
    torch.manual_seed(1)
    random.seed(1)
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(3)
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    warnings.simplefilter("ignore")
    warnings.warn("hidden?")
    sys.path.insert(0, "/nowhere")
    os.chdir("/")
    return (2 * x).float()
"""


def test_in_process_puts_everything_back(course: Course, tmp_path: Path) -> None:
    def state() -> list[Any]:
        drawn = torch.get_rng_state().tolist(), random.getstate()
        modes = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads(), torch.is_anomaly_enabled()
        return [drawn, modes, list(warnings.filters), list(sys.path), os.getcwd(), "exercise" in sys.modules]

    (tmp_path / "01_double.py").write_text(LEAKS)
    before = state()
    with Judge(in_process=True) as judge:
        [answer] = find_answers(course, tmp_path)
        assert judge.grade(answer, seed=1).passed
    assert state() == before


def test_in_process_gives_the_function_copies(course: Course, tmp_path: Path) -> None:
    (tmp_path / "01_double.py").write_text("def double(x):\n    x.mul_(2)\n    return x\n")
    with Judge(in_process=True) as judge:
        assert judge.grade(find_answers(course, tmp_path)[0], seed=1).passed


def test_a_judge_can_be_made_again_and_again(grade: Grader) -> None:
    for _ in range(2):
        with Judge() as judge:
            assert judge.grade(grade.answer("def double(x):\n    return 2 * x\n", "double")).passed


def test_where_torch_is_here_already_the_server_is_executed(judge: Judge) -> None:
    assert isinstance(judge._server, ForkServer)
    command = Path(f"/proc/{judge._server._pid}/cmdline")
    if command.exists():
        assert b"gradclinic.grading.forkserver" in command.read_bytes()


def test_a_child_can_do_a_parallel_sized_product(judge: Judge) -> None:
    assert judge.fork_works()


def test_the_server_ends_with_the_judge() -> None:
    judge = Judge()
    assert isinstance(judge._server, ForkServer)
    pid = judge._server._pid
    judge.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_optimizer_is_preloaded_once(course: Course, impatient_judge: Judge) -> None:
    assert impatient_judge.grade(find_answers(course, course.root / "solutions")[2], seed=1).passed
    assert impatient_judge._server is not None
    assert "torch._dynamo" in impatient_judge._server.preloaded
