"""How far a machine confines: what is said of it, and what still holds where landlock or seccomp are missing.

They are missing for real: a filter makes the kernel answer their system calls as an old one does.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gradclinic.course import Course
from gradclinic.grading import isolation
from gradclinic.grading.answers import Answer
from gradclinic.grading.isolation import LEVELS, Isolation
from gradclinic.grading.judge import Judge
from gradclinic.grading.limits import Limits

COURSE = Path(__file__).parents[1] / "course"
strict = pytest.mark.skipif(
    isolation.offered().level != "strict",
    reason=f"needs the level strict, and this machine gives {isolation.offered()}",
)
bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt install bubblewrap")

PROGRAM = """
import ctypes, json, os, struct, sys
from pathlib import Path
root, course, mode, *denied = sys.argv[1:]
if mode == "nobody":
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
libc = ctypes.CDLL(None, use_errno=True)
code = [(0x20, 0, 0, 0)]
for number in map(int, denied):
    code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | 38)]
code = b"".join(struct.pack("<HBBI", *one) for one in [*code, (0x06, 0, 0, 0x7FFF0000)])
kept = ctypes.create_string_buffer(code, len(code))
if denied:
    head = struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(kept))
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.c_char_p(head), 0, 0) == 0

from gradclinic.course import Course
from gradclinic.grading import isolation
from gradclinic.grading.answers import Answer
from gradclinic.grading.judge import Judge
from gradclinic.grading.limits import Limits

lesson = Course(Path(course)).find("double")
told = {"offered": [isolation.offered().level, *isolation.offered().missing]}
with Judge(Limits(seconds=30), root=Path(root)) as judge:
    for name, text in json.load(sys.stdin).items():
        folder = Path(root, name)
        folder.mkdir()
        (folder / "exercise.py").write_text(text)
        verdict = judge.grade(Answer(lesson, folder / "exercise.py", lesson.slug), 1)
        told[name] = [verdict.passed, verdict.isolation, verdict.checks[0].prints + verdict.checks[0].message]
print(json.dumps(told))
"""
RIGHT = "def double(x):\n    return 2 * x\n"
TRIES = f"""
import os, socket
def tried(name, action):
    try:
        action()
        print(name, "worked")
    except BaseException as error:
        print(name, "refused")
def double(x):
    tried("passwd", lambda: open("/etc/passwd").read())
    tried("course", lambda: open({str(COURSE / "solutions" / "01_double.py")!r}).read())
    tried("socket", lambda: socket.create_connection(("1.1.1.1", 9), 1))
    tried("parent", lambda: os.kill(os.getppid(), 9))
    tried("memory", lambda: bytes(2**32))
    tried("outside", lambda: open({str(COURSE / "was-here")!r}, "w"))
    return 2 * x
"""


def graded(root: Path, *denied: int, mode: str = "as it is", python: str = sys.executable) -> dict[str, list[object]]:
    """What the fixture course makes of two answers where these system calls are denied."""
    command = [python, "-c", PROGRAM, str(root), str(COURSE), mode, *map(str, denied)]
    answers = json.dumps({"right": RIGHT, "tries": TRIES})
    done = subprocess.run(command, input=answers, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


LANDLOCK, SECCOMP = 444, 317 if os.uname().machine == "x86_64" else 277


@strict
@bubblewrap
def test_without_landlock_bubblewrap_is_the_next_level(tmp_path: Path) -> None:
    told = graded(tmp_path, LANDLOCK)
    level = "namespaces; no landlock (Function not implemented)"
    assert told["offered"] == ["namespaces", "no landlock (Function not implemented)"]
    assert told["right"] == [True, level, ""]
    passed, isolated, prints = told["tries"]
    assert (passed, isolated) == (True, level)
    assert str(prints).split("\n")[:6] == [
        f"{name} refused" for name in ("passwd", "course", "socket", "parent", "memory", "outside")
    ]


@strict
@bubblewrap
def test_without_seccomp_as_well(tmp_path: Path) -> None:
    told = graded(tmp_path, LANDLOCK, SECCOMP)
    level = "namespaces; no landlock (Function not implemented); no seccomp (the kernel refuses it)"
    assert told["right"] == [True, level, ""]


@strict
def test_a_child_does_not_outlive_the_server_that_made_it(tmp_path: Path) -> None:
    lesson = Course(COURSE).find("double")
    for name, text in {"hangs": "while True:\n    pass\n", "right": RIGHT}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "exercise.py").write_text(text)
    hangs, right = (Answer(lesson, tmp_path / name / "exercise.py", name) for name in ("hangs", "right"))
    with Judge(Limits(seconds=60), root=tmp_path) as judge, ThreadPoolExecutor(1) as pool:
        server = judge._server._pid  # type: ignore[union-attr]
        verdict = pool.submit(judge.grade, hangs)
        while not (made := Path(f"/proc/{server}/task/{server}/children").read_text().split()):
            time.sleep(0.01)
        time.sleep(0.5)  # until the file runs
        os.kill(server, signal.SIGKILL)
        assert verdict.result().cause == "crashed"
        assert not Path(f"/proc/{made[0]}").exists()
        assert judge.grade(right).passed


@strict
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user: run the tests with sudo")
def test_an_ordinary_user_is_confined_as_root_is(request: pytest.FixtureRequest) -> None:
    python = Path(sys.executable).resolve()
    closed = [path for path in (*python.parents, *COURSE.parents) if not path.stat().st_mode & 0o001]
    if closed:
        pytest.skip(f"an ordinary user cannot reach Python or the course: {closed[0]} is closed to others")
    shared = Path(tempfile.mkdtemp())  # the folders above tmp_path are closed to others
    request.addfinalizer(lambda: shutil.rmtree(shared))
    shared.chmod(0o777)
    told = graded(shared, mode="nobody")
    assert told["offered"] == ["strict"]
    assert told["right"] == [True, "strict", ""]
    assert str(told["tries"][2]).split("\n")[:6] == [
        f"{name} refused" for name in ("passwd", "course", "socket", "parent", "memory", "outside")
    ]


def test_levels_are_ordered_and_tell_what_is_missing() -> None:
    assert LEVELS == ("process", "limits", "namespaces", "strict")
    weak = Isolation("limits", ("no landlock (Function not implemented)",))
    assert [weak.reaches(level) for level in LEVELS] == [True, True, False, False]
    assert str(weak) == "limits; no landlock (Function not implemented)"
    assert Isolation("strict").without(["capabilities kept"]) == Isolation("limits", ("capabilities kept",))
    assert str(Isolation("namespaces", ("a",)).without(["a", "b"])) == "namespaces; a; b"
