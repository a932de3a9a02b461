"""What a verdict on untrusted code costs, in CPU seconds, beside a cold pytest and nbgrader on the same submissions;
then a whole class: rows per second, memory, and whether a row costs the same in a small class and in a large one.

`--learners 1000` is the class of the published figures. nbgrader is installed into a folder of its own, once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from gradclinic.grading import limits

ROOT = Path(__file__).parents[1]
EXERCISE = "04_late_retain_grad"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "gradclinic-benchmark")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1", "PYTHONPATH": str(ROOT / "src")}
LOOP = "while True:\n    pass\n"

# the checks of the course in the learner's own process, as a plain test file has them
IN_PROCESS = """
import random
from gradclinic.grading.checking import Exercise, Redraw, drawing

def run(check, learner):
    for _ in range(50):
        try:
            with drawing(random.randrange(2**32)):
                return check(Exercise(lambda name, args: getattr(learner, name)(*args)))
        except Redraw:
            pass
"""
TEST_FILE = """
import pytest, checks, exercise, in_process

@pytest.mark.parametrize("name", [name for name in vars(checks) if name.startswith("test_")])
def test_of_the_course(name):
    in_process.run(getattr(checks, name), exercise)
"""


@dataclass(frozen=True)
class Cost:
    """CPU and wall seconds of a command and of all that it waited for; the largest PSS of all of them, in MB."""

    cpu: float
    wall: float
    peak_mb: float = 0.0

    def per(self, count: int) -> Cost:
        return Cost(self.cpu / count, self.wall / count, self.peak_mb)


def cost(command: list[str | Path], cwd: Path, codes: tuple[int, ...] = (0, 1), memory: bool = False) -> Cost:
    begun, before = time.perf_counter(), _waited_for()
    beside = {**ENVIRONMENT, "PATH": f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}"}
    process = subprocess.Popen(command, cwd=cwd, env=beside, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    watch = Memory(process.pid) if memory else None
    assert process.stderr
    said = process.stderr.read()
    process.wait()
    wall = time.perf_counter() - begun
    with contextlib.suppress(ChildProcessError):  # what its parent did not wait for has come to this process
        while True:
            os.waitpid(-1, 0)
    peak = watch.stop() if watch else 0.0
    if process.returncode not in codes:
        raise SystemExit(f"{command} ended with {process.returncode}:\n{said.decode(errors='replace')[-2000:]}")
    return Cost(_waited_for() - before, wall, peak)


def _waited_for() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Memory:
    """Samples the proportional set size of a process and all below it."""

    def __init__(self, pid: int) -> None:
        self._pid, self._peak, self._over = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        self._over.set()
        self._thread.join()
        return self._peak

    def _sample(self) -> None:
        while not self._over.wait(1.0):
            self._peak = max(self._peak, sum(map(_pss, _below(self._pid))))


def _below(pid: int) -> list[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [pid]
    for one in found:  # grows while it is walked
        found += [child for child, parent in parents.items() if parent == one]
    return found


def _pss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def texts(slug: str, kind: str) -> list[str]:
    return [file.read_text() for file in sorted((ROOT / "checks" / "answers" / slug).glob(f"{kind}_*.py"))]


def make_class(folder: Path, learners: int) -> int:
    """Folders of answers to every exercise, 85 of 100 right, always the same; returns the number of answers."""
    draw = random.Random(1)
    slugs = sorted(file.stem for file in (ROOT / "solutions").glob("*.py"))
    right = {slug: [(ROOT / "solutions" / f"{slug}.py").read_text(), *texts(slug, "right")] for slug in slugs}
    wrong = {slug: texts(slug, "wrong") for slug in slugs}
    for number in range(learners):
        own = folder / f"learner-{number:04}"
        own.mkdir(parents=True)
        for slug in slugs:
            source = draw.choice(right[slug] if draw.random() < 0.85 else wrong[slug])
            (own / f"{slug}.py").write_text(f"{source}\n# {number}\n")
    return learners * len(slugs)


def grade(submissions: Path, out: Path, *options: str) -> Cost:
    command = [sys.executable, "-m", "gradclinic", "grade", str(submissions), "--out", str(out), *options]
    return cost([*command], ROOT, memory=True)


def one_exercise(scratch: Path, count: int) -> dict[str, Cost]:
    """Seconds per verdict of the three graders, on the same submissions to one exercise."""
    sources = [*texts(EXERCISE, "right"), *texts(EXERCISE, "wrong")]
    sources = [sources[i % len(sources)] + f"\n# {i}\n" for i in range(count)]
    random.Random(1).shuffle(sources)  # right and wrong alike among the few
    few, all_of_them = scratch / "few", scratch / "all"
    for number, source in enumerate(sources):
        for folder in [few, all_of_them] if number < count // 4 else [all_of_them]:
            (own := folder / f"learner-{number:04}").mkdir(parents=True)
            (own / f"{EXERCISE}.py").write_text(source)
    start, whole = (grade(folder, scratch / f"results-{folder.name}", "--jobs", "1") for folder in (few, all_of_them))
    more, others = count - count // 4, sources[: min(8, count // 4)]  # each of theirs takes seconds
    cold = [cold_pytest(scratch / f"cold-{number}", source) for number, source in enumerate(others)]
    return {
        "gradclinic grade": whole.per(count),
        "gradclinic grade, each one more": Cost((whole.cpu - start.cpu) / more, (whole.wall - start.wall) / more),
        "python -m pytest, cold": Cost(sum(c.cpu for c in cold) / len(cold), sum(c.wall for c in cold) / len(cold)),
        "nbgrader autograde": nbgrader(scratch / "nbgrader", others),
    }


def cold_pytest(folder: Path, source: str) -> Cost:
    folder.mkdir()
    shutil.copy(ROOT / "checks" / f"test_{EXERCISE}.py", folder / "checks.py")
    for name, text in (("exercise", source), ("in_process", IN_PROCESS), ("test_exercise", TEST_FILE)):
        (folder / f"{name}.py").write_text(text)
    lean = ["-p", "no:cacheprovider", "-p", "no:gradclinic"]
    return cost([sys.executable, "-m", "pytest", "-q", *lean, "test_exercise.py"], folder)


def nbgrader(folder: Path, sources: list[str]) -> Cost:
    """Per submission of a batch, after the assignment has been generated once."""
    program = _nbgrader_program()
    (folder / "source" / "late").mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'class'\n")
    checks = (ROOT / "checks" / f"test_{EXERCISE}.py").read_text()
    names = [line[4 : line.index("(")] for line in checks.splitlines() if line.startswith("def test_")]
    for number, source in enumerate([(ROOT / "solutions" / f"{EXERCISE}.py").read_text(), *sources]):
        place = folder / (f"submitted/learner-{number}" if number else "source") / "late"
        place.mkdir(parents=True, exist_ok=True)
        tests = [(f"{IN_PROCESS}\n{checks}\nimport __main__\nrun({name}, __main__)", name) for name in names]
        cells = [_cell(source, "answer"), *(_cell(text, name, points=1) for text, name in tests)]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}
        (place / "late.ipynb").write_text(json.dumps(book))
    cost([program, "generate_assignment", "late", "--force"], folder, codes=(0,))
    return cost([program, "autograde", "late"], folder, codes=(0, 1)).per(len(sources))


def _cell(source: str, name: str, points: int = 0) -> dict[str, object]:
    told: dict[str, object] = {"grade": bool(points), "solution": not points, "locked": bool(points), "task": False}
    told |= {"grade_id": name, "schema_version": 3, **({"points": points} if points else {})}
    cell: dict[str, object] = {"cell_type": "code", "id": name.replace("_", "-")[:60], "execution_count": None}
    return cell | {"outputs": [], "source": source, "metadata": {"nbgrader": told}}


def _nbgrader_program() -> Path:
    """In an environment of its own, which borrows PyTorch and this package from the one that runs."""
    program = CACHE / "bin" / "nbgrader"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", CACHE], check=True)
        subprocess.run([CACHE / "bin" / "pip", "install", "-q", "nbgrader"], check=True)
        own = Path(sysconfig.get_path("purelib", vars={"base": str(CACHE), "platbase": str(CACHE)}))
        (own / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT / 'src'}\n")
    return program


def loops(scratch: Path, count: int) -> Cost:
    """Endless answers of 5 s each on two jobs."""
    for number in range(count):
        (own := scratch / "loops" / f"learner-{number:04}").mkdir(parents=True)
        (own / f"{EXERCISE}.py").write_text(LOOP + f"# {number}\n")
    return grade(scratch / "loops", scratch / "results-loops", "--jobs", "2", "--seconds", "5")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--learners", type=int, default=60, help="of the class (1000 for the published figures)")
    parser.add_argument("--submissions", type=int, default=32, help="to the one exercise that all graders get")
    parser.add_argument("--loops", type=int, default=20)
    parser.add_argument("--only", choices=("exercise", "class", "loops"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    told: dict[str, object] = {}
    limits.adopt_orphans()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        if options.only in (None, "exercise"):
            sides = one_exercise(scratch, options.submissions)
            ours = sides["gradclinic grade, each one more"].cpu
            for side, spent in sides.items():
                told[side] = asdict(spent) | {"ratio": spent.cpu / ours}
                say(options, f"{side:<34} CPU {spent.cpu:7.3f} s  wall {spent.wall:7.3f} s  x {spent.cpu / ours:6.1f}")
        if options.only in (None, "class"):
            for learners in sorted({13, options.learners}):
                rows = make_class(scratch / f"class-{learners}", learners)
                spent = grade(scratch / f"class-{learners}", scratch / f"results-{learners}", "--jobs", "2")
                told[f"class of {learners}"] = asdict(spent) | {"rows": rows}
                each = f"{rows / spent.wall:6.1f} rows/s  CPU {1000 * spent.cpu / rows:6.1f} ms a row"
                say(options, f"{rows} rows: {spent.wall:7.1f} s  {each}  at most {spent.peak_mb:.0f} MB")
        if options.only in (None, "loops"):
            spent = loops(scratch, options.loops)
            told["loops"] = asdict(spent) | {"count": options.loops}
            say(options, f"{options.loops} endless loops of 5 s on 2 jobs: {spent.wall:.1f} s")
    told["load"] = os.getloadavg()[0]
    print(json.dumps(told, indent=2) if options.json else f"load of this machine: {os.getloadavg()[0]:.1f}")


def say(options: argparse.Namespace, text: str) -> None:
    print(text, file=sys.stderr if options.json else sys.stdout, flush=True)


if __name__ == "__main__":
    main()
