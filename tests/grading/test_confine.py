"""A confined child: what it may not read, write, start, signal or reach, and what a computation still may."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradclinic.course import Course
from gradclinic.grading import landlock, seccomp
from gradclinic.grading.answers import Answer, find_answers
from gradclinic.grading.judge import Judge
from gradclinic.grading.limits import Limits
from gradclinic.grading.syscalls import TABLES

COURSE = Path(__file__).parents[1] / "course"
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or landlock.version() < 1, reason="needs Linux with landlock in its kernel (5.13 or newer)"
)

# each line is tried by an answer that would be right; what raises is caught, what works gives a wrong number
FORBIDDEN = {
    "read a file of the machine": "open('/etc/passwd').read()",
    "read the course": "open({course!r} + '/solutions/02_slope.py').read()",
    "read this tool": "open(__import__('gradclinic').causes.__file__).read()",
    "list the temporary folder": "os.listdir({root!r})",
    "read another answer": "open({other!r}).read()",
    "write its own file": "open(__file__, 'w').write('')",
    "write beside it": "open(os.path.dirname(__file__) + '/x', 'w').write('')",
    "write in another folder": "open({outside!r}, 'w').write('')",
    "change rights": "os.chmod({other!r}, 0)",
    "change times": "os.utime({other!r}, (0, 0))",
    "shorten by path": "os.truncate({other!r}, 0)",
    "fork": "os.fork()",
    "start a program": "os.execv('/bin/true', ['true'])",
    "start a process": "__import__('subprocess').run(['true'])",
    "open a socket": "__import__('socket').socket()",
    "make a pair of sockets": "__import__('socket').socketpair()",
    "kill its parent": "os.kill(os.getppid(), 9)",
    "kill its group": "os.kill(0, 15)",
    "kill everything": "os.kill(-1, 9)",
    "signal through a pipe": "__import__('fcntl').fcntl(os.pipe()[0], 8, os.getppid())",
    "read its parent's memory": "open(f'/proc/{{os.getppid()}}/mem', 'rb').read(1)",
    "read its own environment": "open('/proc/self/environ').read()",
    "raise a limit": "__import__('resource').setrlimit(7, (4096, 4096))",
    "link to a file": "os.symlink('/etc/passwd', 'here')",
    "make a device": "os.mknod('here', 0o20666, os.makedev(1, 1))",
    "take 4 GB": "torch.empty(10**9)",
    "fill a file": "open('big', 'wb').write(bytes(3 * 2**20))",
    "open many files": "[os.pipe() for _ in range(100)]",
}
ALLOWED = {
    "seed": "torch.seed()",
    "a thread": "(t := threading.Thread(target=torch.ones, args=(3,)), t.start(), t.join())",
    "backward on two threads": "(torch.set_num_threads(2), (torch.ones(64, 64, requires_grad=True) @ torch.ones(64, 64)"
    ").sum().backward())",
    "forty threads that allocate": "(pool := concurrent.futures.ThreadPoolExecutor(40), gate := threading.Barrier(40), "
    "list(pool.map(lambda n: (gate.wait(), bytearray(200_000)), range(40))))",
    "a scratch file": "open('scratch', 'w').write('x')",
    "a module of the library": "__import__('colorsys').rgb_to_hsv(0, 0, 0)",
    "a part of torch": "__import__('torch.distributions.normal')",
    "a signal to itself": "os.kill(os.getpid(), 0)",
    "its limits": "__import__('resource').getrlimit(7)",
}
PROGRAM = """
import concurrent.futures, os, threading, torch
def slope(w, x):
    try:
        {line}
        worked = True
    except Exception:
        worked = False
    w = w.clone().requires_grad_()
    ((w * x) ** 2).sum().backward()
    return w.grad if worked == {right} else w.grad + 1
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("class")


@pytest.fixture(scope="module")
def confined(root: Path) -> Iterator[Judge]:
    with Judge(Limits(seconds=20), root=root) as judge:
        yield judge


def passes(judge: Judge, root: Path, text: str, name: str) -> bool:
    lesson = Course(COURSE).find("slope")
    folder = root / "".join(sign if sign.isalnum() else "-" for sign in name)
    folder.mkdir()
    (folder / "exercise.py").write_text(text)
    verdict = judge.grade(Answer(lesson, folder / "exercise.py", lesson.slug), seed=1)
    assert verdict.isolation == "strict", verdict.isolation
    return verdict.passed


@pytest.mark.parametrize("name", FORBIDDEN)
def test_it_cannot(name: str, confined: Judge, root: Path, tmp_path: Path) -> None:
    other = root / "another learner.py"
    other.write_text("secret")
    outside = tmp_path / "was here"
    line = FORBIDDEN[name].format(course=str(COURSE), root=str(root), other=str(other), outside=str(outside))
    assert passes(confined, root, PROGRAM.format(line=line, right=False), name)
    assert other.read_text() == "secret"
    assert other.stat().st_mode & 0o400
    assert not outside.exists()


@pytest.mark.parametrize("name", ALLOWED)
def test_it_can(name: str, confined: Judge, root: Path) -> None:
    assert passes(confined, root, PROGRAM.format(line=ALLOWED[name], right=True), name)


@pytest.mark.parametrize("label", ["02_slope[wrong_detached]", "01_double[wrong_raises]"])
def test_a_replay_explains_in_there_as_well(label: str, confined: Judge, root: Path) -> None:
    course = Course(COURSE)
    answer = next((one for one in find_answers(course, COURSE / "checks" / "answers") if one.label == label), None)
    if answer is None:
        pytest.fail(f"the fixture course has no answer {label}")
    folder = root / label
    folder.mkdir()
    shutil.copy(answer.file, folder / "exercise.py")
    with Judge() as open_judge:
        open_cause = open_judge.grade(answer, seed=2).cause
    closed = confined.grade(Answer(answer.lesson, folder / "exercise.py", label), seed=2)
    assert (closed.passed, closed.cause) == (False, open_cause)


def test_the_tables_have_the_numbers_of_the_kernel_s_own_headers() -> None:
    known = {"read": (0, 63), "openat": (257, 56), "mmap": (9, 222), "futex": (202, 98), "clone": (56, 220)}
    for name, (x86_64, arm64) in known.items():
        assert TABLES["x86_64"].numbers[name] == x86_64
        assert TABLES["aarch64"].numbers[name] == arm64
    for table in TABLES.values():
        assert len(set(table.numbers.values())) == len(table.numbers)
        assert not {"execve", "socket", "ptrace", "chmod", "io_uring_setup", "clone3", "fork"} & set(table.numbers)


def test_a_machine_without_a_table_is_said() -> None:
    with pytest.raises(seccomp.Unsupported, match="no table of system calls for vax"):
        seccomp.Filter("vax")
