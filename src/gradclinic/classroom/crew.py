"""The workers of a run: each is given one task at a time, and one that dies or hangs is replaced."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from gradclinic.classroom import work
from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Problem
from gradclinic.classroom.surroundings import Surroundings
from gradclinic.classroom.work import Settings, Task
from gradclinic.course import CourseError
from gradclinic.grading import servers

_TRIES = 2
_REPLAYS = 30.0  # seconds beyond those of the learner's code: the replays of what failed, and a loaded machine
_START = 180.0  # seconds for a worker to import torch


class Workers(Protocol):
    """Where tasks are graded: here, or on a cluster."""

    surroundings: Surroundings

    def grade(self, tasks: Iterable[Task]) -> Iterator[Row | Problem]: ...

    def close(self) -> None: ...


class Crew:
    """Worker processes on this machine; their answers lie below `folder`, which is theirs alone."""

    def __init__(self, settings: Settings, jobs: int, folder: Path) -> None:
        self._settings, self._jobs, self._folder = settings, jobs, folder
        self.surroundings = Surroundings.here()
        self._started = 0
        self._workers: list[Worker] = []

    def grade(self, tasks: Iterable[Task]) -> Iterator[Row | Problem]:
        """Rows as they are finished. Raises CourseError when a check file does not load."""
        waiting = deque((task, 0) for task in tasks)
        with selectors.DefaultSelector() as ready:
            while waiting or any(worker.task for worker in self._workers):
                self._hand_out(waiting, ready)
                for key, _ in ready.select(timeout=1.0):
                    yield from self._collect(key.data, waiting, ready)
                for worker in [worker for worker in self._workers if worker.overdue]:
                    yield from self._replace(worker, waiting, ready)
            for worker in self._workers:
                ready.unregister(worker.rows)

    def _hand_out(self, waiting: deque[tuple[Task, int]], ready: selectors.BaseSelector) -> None:
        while len(self._workers) < min(self._jobs, len(waiting) + sum(bool(worker.task) for worker in self._workers)):
            self._started += 1
            self._workers.append(Worker(self._settings, self._folder / f"desk-{self._started}"))
        for worker in self._workers:
            if worker.rows.fileno() not in {key.fd for key in ready.get_map().values()}:
                ready.register(worker.rows, selectors.EVENT_READ, worker)
            if waiting and worker.task is None:
                worker.take(*waiting.popleft())

    def _collect(
        self, worker: Worker, waiting: deque[tuple[Task, int]], ready: selectors.BaseSelector
    ) -> Iterator[Row | Problem]:
        row = worker.row()
        if row is None:
            yield from self._replace(worker, waiting, ready)
        else:
            yield row

    def _replace(
        self, worker: Worker, waiting: deque[tuple[Task, int]], ready: selectors.BaseSelector
    ) -> Iterator[Problem]:
        ready.unregister(worker.rows)
        self._workers.remove(worker)
        worker.end()
        if worker.task is None:
            return
        if worker.tries + 1 < _TRIES:
            waiting.appendleft((worker.task, worker.tries + 1))
            return
        given = worker.task.submission
        what = f"the grader itself failed on it {_TRIES} times; it is not graded"
        yield Problem(given.learner, given.origin, what, given.exercise)

    def close(self) -> None:
        """Ends all workers at once, whatever they are doing; what is below them ends with them."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Worker:
    """One worker process and the task that it has."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        folder.mkdir()
        self._seconds = settings.seconds + _REPLAYS
        words = [str(os.getpid()), str(folder), work.__name__, json.dumps(asdict(settings))]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gradclinic.grading.worker", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=servers.harmless_environment(folder),
            start_new_session=True,  # Ctrl-C is for the command, which ends its workers
            bufsize=0,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._tasks, self.rows = self._process.stdin, self._process.stdout
        self._unread = b""
        self.task: Task | None = None
        self.tries = 0
        self._deadline = time.monotonic() + _START

    def take(self, task: Task, tries: int) -> None:
        self.task, self.tries = task, tries
        self._deadline = max(self._deadline, time.monotonic() + self._seconds)
        with contextlib.suppress(BrokenPipeError):  # its death is seen where its row is awaited
            self._write(task.line())

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[self._tasks.write(rest) :]

    @property
    def overdue(self) -> bool:
        return self.task is not None and time.monotonic() > self._deadline

    def row(self) -> Row | None:
        """What it tells of its task, in the end; None when it has died. Raises CourseError."""
        while b"\n" not in self._unread:
            piece = self.rows.read(2**20)
            if not piece:
                return None
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        told = json.loads(line)
        if "course" in told:
            raise CourseError(told["course"])
        self.task = None
        self._deadline = 0.0
        return Row(**told["row"])

    def grade(self, task: Task) -> Row | None:
        """One task from its beginning to its end; None when the process has died or hung over it."""
        self.take(task, 0)
        with selectors.DefaultSelector() as ready:
            ready.register(self.rows, selectors.EVENT_READ)
            return self.row() if ready.select(self._deadline - time.monotonic()) else None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._tasks.close()
        self.rows.close()
