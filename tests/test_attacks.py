"""Hostile submissions, graded for real: none earns more than its honest code, harms another learner or leaves a thing.

All are graded once, in a new random order, by two judges at the same time, with honest learners between them.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gradclinic.classroom.crew import Worker
from gradclinic.classroom.submission import Submission
from gradclinic.classroom.work import Settings, Task
from gradclinic.course import Course
from gradclinic.grading import isolation
from gradclinic.grading.answers import Answer
from gradclinic.grading.judge import Judge
from gradclinic.grading.limits import Limits
from gradclinic.grading.scratch import remove
from gradclinic.grading.verdict import Verdict

HERE = Path(__file__).parent
FOLDER = HERE / "attacks"
SEED = 48_611_203_957_120_386_615_772_901  # as long as that of a class
pytestmark = pytest.mark.skipif(
    isolation.offered().level != "strict",
    reason=f"needs the level strict, and this machine gives {isolation.offered()}",
)


@dataclass(frozen=True)
class Fate:
    """What an attack must come to: the checks that its honest code passes, the cause of the first that fails, and what
    the first check printed or its message says; `briefly`: it never ends by itself.
    """

    points: int
    cause: str | None
    says: tuple[str, ...] = ()
    briefly: bool = False


REFUSED, UNKNOWN = "Operation not permitted", "Function not implemented"
FATES = {
    # exit codes
    "exit_at_import": Fate(0, "exited", ("the file ended the whole program: exit status 0",)),
    "exit_in_call": Fate(0, "exited", ("double left the program: sys.exit(0)",)),
    "exit_at_the_end": Fate(0, "wrong_scale"),
    "abort": Fate(0, "crashed", ("signal 6, SIGABRT",)),
    "finaliser": Fate(0, "exited"),
    # forged results
    "forged_verdict": Fate(0, "not_computed", ("is bool True",)),
    "forged_report": Fate(0, "crashed", ("sent something unreadable",)),
    "forged_lines": Fate(0, "exception", ("double raised ValueError",)),
    "forged_names": Fate(0, "missing_function", ("the file has no function double",)),
    "forged_loading": Fate(0, "crashed", ("an unreadable message (no report)",)),
    "forged_place": Fate(0, "exception", ("double raised ValueError: no",)),
    "forged_storages": Fate(0, "crashed", ("storages that overlap",)),
    "forged_parts": Fate(0, "crashed", ("a message with too many parts",)),
    "forged_depth": Fate(0, "crashed", ("sent something unreadable",)),
    "forged_size": Fate(0, "crashed", ("something that is no message",)),
    "endless_replies": Fate(0, "wrong_shape", ("(3145728,)",)),
    "patched_child": Fate(0, "wrong_type", ("is str 'passed'",)),
    "right_and_late": Fate(0, "wrong_scale"),
    "swapped_descriptors": Fate(0, "crashed", ("something that is no message",)),
    "crossed_descriptors": Fate(0, "exited"),
    "closed_descriptors": Fate(0, "crashed"),
    "trace_flood": Fate(0, "timeout", ("wrote to the trace",), briefly=True),
    "hangs_in_replay": Fate(0, "wrong_scale"),
    "replay": Fate(0, "no_backward"),
    # comparisons and modules that are patched
    "patched_torch": Fate(0, "wrong_scale"),
    "patched_pytest": Fate(0, "wrong_scale", ("pytest PermissionError", "gradclinic.grading.plugin PermissionError")),
    "patched_libc": Fate(0, "wrong_scale", ("made writable: True",)),
    "replaced_module": Fate(0, "not_computed"),
    "replaced_torch": Fate(0, "crashed"),
    "import_hook": Fate(0, "wrong_scale"),
    # answers that agree with everything, and odd values
    "liar_tensor": Fate(0, "wrong_scale"),
    "liar_numbers": Fate(0, "wrong_type", ("exercise.Yes",)),
    "real_course_liar": Fate(0, "wrong_type"),
    "nan_games": Fate(0, "wrong_value", ("the result holds nan or inf",)),
    "shape_games": Fate(0, "wrong_shape", ("(0, 3), expected (3,)",)),
    "bit_games": Fate(0, "not_computed"),
    "huge_values": Fate(0, "wrong_type", ("a tensor of 1000000000 numbers",)),
    "real_course_rows": Fate(1, "wrong_type"),
    "deep_values": Fate(0, "wrong_type", ("nested too deep",)),
    "long_keys": Fate(0, "wrong_type"),
    "recursion": Fate(0, None),
    "terminal_codes": Fate(0, "exception"),
    # reading what the judge knows
    "frames": Fate(0, "wrong_scale", ("found in frames and objects: []",)),
    "memory_scan": Fate(0, "wrong_scale", ("found in memory: itself\n",)),
    "files": Fate(0, "wrong_scale", ("package PermissionError", "others PermissionError", "glob []")),
    "descriptors": Fate(0, "wrong_scale", ("read OSError", "open: device file pipe pipes: 4")),
    "parent_memory": Fate(
        0, "wrong_scale", ("mem Permission denied", "own maps Permission denied", f"ptrace {UNKNOWN}")
    ),
    "environment": Fate(0, "wrong_scale", ("secrets: []",)),
    "imports": Fate(0, "wrong_scale", ("checking PermissionError", "solutions.01_double ModuleNotFoundError")),
    "seed": Fate(0, "wrong_scale", ("seed of the judge: [] inputs from its own seed: False",)),
    "real_course_solution": Fate(1, "wrong_value", ("read: 0",)),
    # other processes
    "kill": Fate(3, None, (f"parent {REFUSED}", f"all {REFUSED}", f"pidfd {UNKNOWN}", f"death signal {REFUSED}")),
    "fork_bomb": Fate(3, None, (f"fork {REFUSED}", f"process {REFUSED}", f"clone3 {UNKNOWN}", f"exec {UNKNOWN}")),
    "daemon": Fate(3, None, ("no daemon: PermissionError",)),
    "threads": Fate(3, None, ("threads: 21",)),
    "thread_bomb": Fate(0, "crashed", ("double started more than 500 threads",)),
    "system_calls": Fate(3, None, ("worked: []",)),
    "old_machine_code": Fate(0, "crashed", ("signal 31, SIGSYS",)),
    "limits": Fate(3, None, ("AS ValueError", "nice OSError", "of its parent PermissionError")),
    # time
    "stop_itself": Fate(0, "timeout", briefly=True),
    "swallows_signals": Fate(0, "timeout", briefly=True),
    "endless_load": Fate(0, "timeout", ("the file was still running",), briefly=True),
    "catastrophic_re": Fate(0, "timeout", briefly=True),
    "long_product": Fate(0, "timeout", briefly=True),
    # memory, disk, output
    "memory": Fate(3, None, ("tensor RuntimeError", "shared map OSError", "pieces MemoryError")),
    "big_file": Fate(3, None, ("write File too large", f"fallocate {UNKNOWN}", f"memfd {UNKNOWN}")),
    "many_files": Fate(0, "crashed", ("double filled its folder: it may hold 64 MB in 1000 files",)),
    "many_small_files": Fate(0, "crashed", ("double filled its folder",)),
    "hidden_files": Fate(0, "crashed", ("double filled its folder",)),
    "unnamed_files": Fate(0, "crashed", ("double filled its folder",)),
    "deep_folders": Fate(0, "crashed", ("double filled its folder",)),
    "closed_folders": Fate(0, "crashed", ("double filled its folder",)),
    "nested_folders": Fate(3, None, ("700 deep",)),
    "output_flood": Fate(3, None, ("xxx", "more bytes of output were dropped")),
    "warning_flood": Fate(3, None),
    "links": Fate(3, None, (f"symbolic link {UNKNOWN}", "rename out Permission denied", f"set-uid {UNKNOWN}")),
}
HONEST = {
    "ada": """\
# exercise: double
def double(x):
    print("a-learner-printed-this")
    return 2 * x  # a-learner-wrote-this
""",
    "ben": """\
# exercise: double
def double(x):
    return 3 * x
""",
    "cleo": """\
# exercise: slope
def slope(w, x):
    w = w.clone().requires_grad_()
    loss = ((w * x) ** 2).sum()
    return w.grad
""",
    "dan": """\
# exercise: step
import torch
def step(w, x):
    w = torch.nn.Parameter(w)
    optimizer = torch.optim.SGD([w], lr=0.1)
    ((w * x) ** 2).sum().backward()
    optimizer.step()
    return {"w": w}
""",
    "eve": """\
# exercise: double
import os, torch
def double(x):
    raise ValueError(f"{torch.is_grad_enabled()} {os.listdir()} {sorted(os.environ)}")
""",
}
COURSES = (Course(HERE / "course"), Course(HERE.parent))


class Desk:
    """Two judges for one folder: a patient one, and one for what never ends. Each answer has a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.patient = Judge(Limits(seconds=60), root=root)
        self.brief = Judge(Limits(seconds=2), root=root)
        self.servers = [judge._server._pid for judge in (self.patient, self.brief)]  # type: ignore[union-attr]

    def grade(self, name: str, text: str, *, briefly: bool = False) -> Verdict:
        exercise = text.split("\n")[0].removeprefix("# exercise: ")
        lesson = next(lesson for course in COURSES for lesson in course.lessons if lesson.id == exercise)
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        (folder / "exercise.py").write_text(text)
        judge = self.brief if briefly else self.patient
        return judge.grade(Answer(lesson, folder / "exercise.py", lesson.slug), SEED)

    def close(self) -> None:
        self.patient.close()
        self.brief.close()


@dataclass
class Batch:
    """What became of the class, and of the machine that it was graded on."""

    verdicts: dict[str, Verdict]
    honest: list[tuple[str, str, Verdict]]  # name, the attack just before, verdict
    alone: dict[str, Verdict]
    desks: list[Desk]
    order: list[str]


@pytest.fixture(scope="module")
def batch() -> Iterator[Batch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADCLINIC_SECRET", "not-for-learners")
        # not in pytest's own folder: a run that is killed may leave what pytest cannot remove at its next start
        roots = [Path(tempfile.mkdtemp(prefix="attacks-")) for _ in range(2)]
        desks = [Desk(root) for root in roots]
    try:
        alone = {name: desks[0].grade(name, text) for name, text in HONEST.items()}
        order = random.SystemRandom().sample(list(FATES), len(FATES))
        made = Batch({}, [], alone, desks, order)
        with ThreadPoolExecutor(2) as pool:
            for work in [pool.submit(_grade, made, desk, order[half::2]) for half, desk in enumerate(desks)]:
                work.result()
        yield made
    finally:
        for desk, root in zip(desks, roots, strict=True):
            desk.close()
            remove(root)


def _grade(batch: Batch, desk: Desk, names: list[str]) -> None:
    desk.grade("ada", HONEST["ada"])  # what she wrote and printed must not be found by who comes later
    for name in names:
        text = (FOLDER / f"{name}.py").read_text()
        batch.verdicts[name] = desk.grade(name, text, briefly=FATES[name].briefly)
        for learner in random.sample(list(HONEST), 1):
            batch.honest.append((learner, name, desk.grade(learner, HONEST[learner])))


def told(verdict: Verdict, root: Path) -> dict[str, Any]:
    """A row without what differs between two gradings of the same."""
    row = {name: value for name, value in verdict.row().items() if name not in ("seconds", "file")}
    return dict(json.loads(json.dumps(row).replace(str(root), "")))


def test_every_attack_of_the_folder_has_a_fate() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(FATES)
    assert len(FATES) >= 45


@pytest.mark.parametrize("name", FATES)
def test_it_earns_no_more_than_its_honest_code(name: str, batch: Batch) -> None:
    verdict, fate = batch.verdicts[name], FATES[name]
    first = verdict.checks[0]
    heard = f"{first.prints}\n{first.message}"
    assert sum(row.passed for row in verdict.checks) == fate.points, (verdict.checks, batch.order)
    assert fate.cause is None or verdict.cause == fate.cause, (verdict.checks, batch.order)
    assert [text for text in fate.says if text not in heard] == [], heard
    assert {row.state for row in verdict.checks} <= {"passed", "failed", "not_reached"}
    assert verdict.isolation == "strict"
    assert not any(sign in json.dumps(verdict.row(), ensure_ascii=False) for sign in "\x1b\x07\u202e\u200b\ud800")
    assert len(json.dumps(verdict.row())) < 300_000


def test_no_row_of_another_learner_changes(batch: Batch) -> None:
    assert {name: (verdict.passed, verdict.cause) for name, verdict in batch.alone.items()} == {
        "ada": (True, None),
        "ben": (False, "wrong_scale"),
        "cleo": (False, "no_backward"),
        "dan": (True, None),
        "eve": (False, "exception"),
    }
    assert len(batch.honest) == len(FATES)
    root = batch.desks[0].root
    alone = {name: told(verdict, root) for name, verdict in batch.alone.items()}
    changed = [
        (learner, before)
        for learner, before, verdict in batch.honest
        for desk in batch.desks
        if str(desk.root) in str(verdict.answer.file) and told(verdict, desk.root) != alone[learner]
    ]
    assert changed == []


def test_no_process_file_or_port_is_left(batch: Batch) -> None:
    for desk in batch.desks:
        alive = [judge._server._pid for judge in (desk.patient, desk.brief)]  # type: ignore[union-attr]
        assert alive == desk.servers, "a server was lost"
        assert {pid: children(pid) for pid in alive} == {pid: [] for pid in alive}
        files = [path.name for path in desk.root.iterdir() if not path.name.startswith("gradclinic-")]
        assert set(files) <= FATES.keys() | HONEST.keys()
        assert [path for path in desk.root.iterdir() if path.name.startswith("gradclinic-")] == []
        assert {name.name for path in desk.root.iterdir() for name in path.iterdir()} == {"exercise.py"}
        for name in os.listdir(desk.root):
            text = HONEST.get(name) or (FOLDER / f"{name}.py").read_text()
            assert (desk.root / name / "exercise.py").read_text() == text
        for pid in alive:
            sockets = [fd for fd in os.listdir(f"/proc/{pid}/fd") if "socket" in os.readlink(f"/proc/{pid}/fd/{fd}")]
            assert len(sockets) == 1, "the server's own end of the judge's pair"
    for place in ("/tmp", "/dev/shm", "/run/lock"):
        assert [name for name in os.listdir(place) if "gradclinic-attack" in name] == []


CURIOUS = ("frames", "memory_scan", "environment", "seed", "descriptors", "parent_memory", "imports", "files")


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A worker as `gradclinic grade` has them: its server is a fork of itself, not a program of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADCLINIC_SECRET", "not-for-learners")
        folder = tmp_path_factory.mktemp("worker") / "desk"
        worker = Worker(Settings(str(COURSES[0].root), seconds=60, memory_mb=512), folder)
        yield worker
        worker.end()


@pytest.mark.parametrize("name", CURIOUS)
def test_what_forks_from_a_worker_knows_no_more(name: str, worker: Worker) -> None:
    for learner, text in (("ada", HONEST["ada"]), (name, (FOLDER / f"{name}.py").read_text())):
        given = Submission(learner, "double", text.encode(), f"{learner}.py")
        row = worker.grade(Task(given, SEED, "key"))
    assert row is not None
    heard = f"{row.checks[0]['prints']}\n{row.checks[0]['message']}"
    assert [text for text in FATES[name].says if text not in heard] == [], heard
    assert (row.passed, row.cause, row.isolation) == (False, FATES[name].cause, "strict")


def children(pid: int) -> list[int]:
    lists = (task / "children" for task in Path(f"/proc/{pid}/task").iterdir())
    return [int(child) for children in lists for child in children.read_text().split()]
