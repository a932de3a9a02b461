"""How long the pages of the lessons take, beside `jupyter nbconvert --execute` by hand; all in one run.

Prints wall and CPU time, kernels included, of a build that has nothing in its cache and of one where nothing changed.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gradclinic.course import Course, shipped_root

ROUNDS = 3
COLD_GOAL, REBUILD_GOAL = 0.6, 0.25


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "course")
        for name in ("lessons", "checks", "solutions"):
            shutil.copytree(shipped_root() / name, root / name)
        lessons = Course(root).lessons
        build = [sys.executable, "-m", "gradclinic.publishing", "--course", str(root)]
        cold, warm, hand = [], [], []
        for _ in range(ROUNDS):  # side by side, so that a busy minute of the machine meets all three
            shutil.rmtree(root / ".cache", ignore_errors=True)
            cold.append(timed(build))
            warm.append(timed(build))
            for lesson in lessons[:: len(lessons) - 1]:  # the first and the last stand for all
                hand.append(timed(by_hand(root / "docs" / "downloads" / f"{lesson.slug}.ipynb", folder)))
    print(f"{len(lessons)} lessons, {os.cpu_count()} cores, medians of {ROUNDS} rounds (seconds)")
    print(f"{'':34}{'wall':>8}{'CPU':>8}")
    measured = {"cold build": cold, "build with nothing changed": warm, "nbconvert, one lesson by hand": hand}
    for what, times in measured.items():
        print(f"{what:34}{median(times, 0):8.2f}{median(times, 1):8.2f}")
    print()
    all_by_hand = [(len(lessons) * wall, len(lessons) * cpu) for wall, cpu in hand]
    report(f"cold / ({len(lessons)} x by hand)", cold, all_by_hand, COLD_GOAL)
    report("nothing changed / cold", warm, cold, REBUILD_GOAL)


def report(what: str, top: list[tuple[float, float]], bottom: list[tuple[float, float]], goal: float) -> None:
    wall, cpu = (median(top, i) / median(bottom, i) for i in (0, 1))
    print(f"{what:34}{wall:8.2f}{cpu:8.2f}   goal for wall: at most {goal}, {'met' if wall <= goal else 'MISSED'}")


def by_hand(notebook: Path, folder: str) -> list[str]:
    return [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", folder, str(notebook)]


def timed(command: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of the command and all that it started and waited for."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median(times: list[tuple[float, float]], which: int) -> float:
    return statistics.median(pair[which] for pair in times)


if __name__ == "__main__":
    main()
