"""How long a learner waits for a verdict, as ratios to `python -c "import torch"` in the same run.

Every round times each command once, so that a busy moment of the machine hits all of them alike; the medians
over the rounds are compared. Run on a quiet machine: `make bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
# as on a learner's machine: with that variable set, each run compiles our modules and rewrites pytest's plugins anew
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT |= {"OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
PLAIN, OPTIMIZER = "03_leaf_or_not", "05_off_the_path"


def clinic(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gradclinic", *arguments]


def seconds(command: list[str], cwd: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(command, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


class Watched:
    """`gradclinic watch` over a pipe, already warm; `save` returns the time from a save to the end of its verdict."""

    def __init__(self, course: Path, exercise: Path) -> None:
        self._exercise = exercise
        self._process = subprocess.Popen(
            clinic("watch"), cwd=course, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._verdict = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        self._wait()

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(("✓", "✗", "+", "x")):
                self._verdict.set()

    def _wait(self) -> None:
        if not self._verdict.wait(120):
            raise SystemExit("watch gave no verdict within 120 s")
        self._verdict.clear()

    def save(self) -> float:
        time.sleep(0.3)
        beside = self._exercise.with_suffix(".tmp")
        beside.write_text(self._exercise.read_text() + "\n# saved\n")
        begun = time.perf_counter()
        os.replace(beside, self._exercise)  # as editors do
        self._wait()
        return time.perf_counter() - begun

    def close(self) -> None:
        self._process.communicate()


def course_with_solutions(folder: Path) -> Path:
    """A learner's folder in which every exercise is solved, standing at the one with an optimizer."""
    subprocess.run(clinic("init", str(folder)), check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    for solution in (ROOT / "solutions").glob("*.py"):
        shutil.copy(solution, folder / "lessons" / solution.stem / "exercise.py")
    subprocess.run(
        clinic("check", "1", "2", "3", "4"), check=True, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL
    )
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        course = course_with_solutions(Path(scratch, "clinic"))
        watched = Watched(course, course / "lessons" / OPTIMIZER / "exercise.py")
        python, pytest = sys.executable, [sys.executable, "-m", "pytest", "-q", "checks"]
        timed: dict[str, Callable[[], float]] = {
            "import torch": lambda: seconds([python, "-c", "import torch"], course),
            "pass": lambda: seconds([python, "-c", "pass"], course),
            "list": lambda: seconds(clinic("list"), course),
            "check, no optimizer": lambda: seconds(clinic("check", PLAIN), course),
            "check, optimizer": lambda: seconds(clinic("check", OPTIMIZER), course),
            "save to verdict": watched.save,
            "pytest, all solutions": lambda: seconds([*pytest, "--answers", str(ROOT / "solutions")], ROOT),
        }
        taken: dict[str, list[float]] = {name: [] for name in timed}
        for number in range(options.rounds + 1):
            for name, run in timed.items():
                print(f"\rround {number}/{options.rounds}: {name:<24}", end="", file=sys.stderr, flush=True)
                duration = run()
                if number:  # the first round warms the disk
                    taken[name].append(duration)
        print("\r" + " " * 50, end="\r", file=sys.stderr)
        watched.close()
    report({name: statistics.median(times) for name, times in taken.items()}, options.json)


def report(median: dict[str, float], as_json: bool) -> None:
    goals = [
        ("check, no optimizer", "import torch", 2.0),
        ("check, optimizer", "import torch", 2.2),
        ("save to verdict", "import torch", 0.15),
        ("pytest, all solutions", "import torch", 2.8),
        ("list", "pass", 10.0),
    ]
    rows = [(name, base, median[name] / median[base], goal) for name, base, goal in goals]
    if as_json:
        print(json.dumps([{"what": n, "to": b, "ratio": round(r, 3), "goal": g} for n, b, r, g in rows], indent=2))
        return
    for name, base, ratio, goal in rows:
        print(f"{'✓' if ratio <= goal else '✗'} {name:<22} / {base:<12} {ratio:6.2f}   goal ≤ {goal}")


if __name__ == "__main__":
    main()
