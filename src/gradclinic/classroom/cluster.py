"""The same work on a Dask cluster: submissions travel as data, the course as a folder, rows come back as they are done.

A worker of Dask runs its tasks in threads, so each of them executes a worker process of ours, which has the judge.
"""

from __future__ import annotations

import atexit
import io
import json
import queue
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from gradclinic.classroom.crew import Worker
from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Problem
from gradclinic.classroom.surroundings import Surroundings
from gradclinic.classroom.work import Settings, Task
from gradclinic.course import CourseError
from gradclinic.grading.scratch import remove

_CONNECT = "20s"
_PARTS = ("lessons", "checks")  # solutions stay here
_WORTH_SENDING = (".py", ".yaml", ".yml")


class Cluster:
    """Workers that a scheduler at `address` knows. Raises CourseError if there is none, or they are not alike."""

    def __init__(self, address: str, settings: Settings) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise CourseError("--dask needs Dask: pip install 'gradclinic[cluster]'") from None
        try:
            self._client = Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise CourseError(f"No Dask scheduler answers at {address}: {error}.") from None
        self._settings = settings
        self._course = _packed(Path(settings.course))
        self.surroundings = self._agreed()

    def _agreed(self) -> Surroundings:
        """What grades there, the same on every worker."""
        told = self._client.run(Surroundings.here, on_error="return")
        for address, surroundings in told.items():
            if not isinstance(surroundings, Surroundings):
                raise CourseError(f"The Dask worker {address} cannot grade: {surroundings}. Install gradclinic there.")
        kinds: set[Surroundings] = set(told.values())
        if not kinds:
            raise CourseError("The Dask cluster has no workers. Start some with `dask worker ADDRESS`.")
        if len(kinds) > 1 or kinds.copy().pop().gradclinic != Surroundings.here().gradclinic:
            raise CourseError("The Dask workers and this machine do not have the same gradclinic, Python and PyTorch.")
        return kinds.pop()

    def grade(self, tasks: Iterable[Task]) -> Iterator[Row | Problem]:
        """Rows as they are finished; what a lost worker had is done by another. Raises CourseError."""
        from distributed import as_completed

        course = self._client.submit(bytes, self._course, pure=False)
        shared = replace(self._settings, course="")
        futures = {
            self._client.submit(_graded, course, asdict(shared), task.line(), retries=1, pure=False): task
            for task in tasks
        }
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                yield self._told(future, futures.pop(future))
        finally:
            self._client.cancel([*futures, course])

    def _told(self, future: Any, task: Task) -> Row | Problem:
        try:
            return Row(**future.result())
        except CourseError:
            raise
        except Exception as error:  # of the cluster: a worker that was lost several times with this task
            given = task.submission
            what = f"the cluster could not grade it ({type(error).__name__})"
            return Problem(given.learner, given.origin, what, given.exercise)

    def close(self) -> None:
        self._client.close()


def _packed(course: Path) -> bytes:
    """What a verdict is made from, as an archive."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as members:
        for part in _PARTS:
            for file in sorted((course / part).rglob("*")):
                if file.suffix in _WORTH_SENDING and "answers" not in file.parts:
                    members.add(file, str(file.relative_to(course)))
    return archive.getvalue()


def _graded(course: bytes, shared: dict[str, Any], line: bytes) -> dict[str, Any]:
    """On a worker of Dask: the row of one task. Raises RuntimeError when our own process died over it."""
    house = _house(sha256(course).hexdigest(), json.dumps(shared))
    worker = house.worker(course)
    row = worker.grade(Task.of_line(line))
    if row is None:
        worker.end()
        raise RuntimeError("the worker process ended")
    house.idle.put(worker)
    return asdict(row)


@cache
def _house(course: str, shared: str) -> _House:
    return _House(shared)


class _House:
    """On a worker of Dask: the course's folder, and the processes that wait for work."""

    def __init__(self, shared: str) -> None:
        self._shared = json.loads(shared)
        self._folder = Path(tempfile.mkdtemp(prefix="gradclinic-class-"))
        atexit.register(remove, self._folder)
        self.idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        # a process asks to end with the thread that started it: this one lives to the end
        self._starter = ThreadPoolExecutor(1, "gradclinic")
        self._started = 0

    def worker(self, course: bytes) -> Worker:
        try:
            return self.idle.get_nowait()
        except queue.Empty:
            return self._starter.submit(self._start, course).result()

    def _start(self, course: bytes) -> Worker:
        unpacked = self._folder / "course"
        if not unpacked.exists():
            with tarfile.open(fileobj=io.BytesIO(course)) as members:
                members.extractall(unpacked, filter="data")
        self._started += 1
        return Worker(Settings(**{**self._shared, "course": str(unpacked)}), self._folder / f"desk-{self._started}")
