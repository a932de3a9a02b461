"""A real Dask scheduler and two workers: the rows are those of this machine, also when a worker is killed halfway."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gradclinic.classroom.cluster import Cluster
from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Submission
from gradclinic.classroom.surroundings import Surroundings
from gradclinic.classroom.work import Desk, Settings, Task
from gradclinic.course import CourseError

COURSE = Path(__file__).parents[1] / "course"
SETTINGS = Settings(str(COURSE), seconds=5, memory_mb=512)
ANSWERS = (
    b"def double(x):\n    return 2 * x\n",
    b"def double(x):\n    return 3 * x\n",
    b"import os\nos._exit(3)\n",
    b"\xff\x00",
)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds a worker's processes in /proc, which Linux has")


def tasks(count: int) -> list[Task]:
    texts = [ANSWERS[i % len(ANSWERS)] for i in range(count)]
    return [Task(Submission(f"l{i:03}", "double", text, f"l{i:03}.py"), i, str(i)) for i, text in enumerate(texts)]


@contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "TMPDIR": str(folder), "OMP_NUM_THREADS": "1"}
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    with started(tmp_path, *words):
        yield f"tcp://127.0.0.1:{port}"


@contextmanager
def two_workers(folder: Path, address: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    words = ("distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard")
    with started(folder, *words, "--name", "one") as one, started(folder, *words, "--name", "two") as two:
        _wait_for_workers(address, 2)
        yield [one, two]


def _wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, timeout="60s", set_as_default=False) as client:
        client.wait_for_workers(count, timeout=120)


def without_time(rows: list[Row]) -> list[Row]:
    return sorted((replace(row, seconds=0.0) for row in rows), key=lambda row: row.order)


def here(folder: Path, count: int) -> list[Row]:
    folder.mkdir()
    with closing(Desk(SETTINGS, folder)) as desk:
        return [desk.grade(task) for task in tasks(count)]


def test_the_rows_are_those_of_this_machine_though_a_worker_is_killed(address: str, tmp_path: Path) -> None:
    with two_workers(tmp_path, address) as workers, closing(Cluster(address, SETTINGS)) as cluster:
        assert cluster.surroundings == Surroundings.here()
        rows = []
        for row in cluster.grade(tasks(24)):
            assert isinstance(row, Row), row
            rows.append(row)
            if len(rows) == 8:
                workers[0].send_signal(signal.SIGKILL)
    assert without_time(rows) == without_time(here(tmp_path / "here", 24))
    assert _left(tmp_path) == []


def _left(folder: Path) -> list[str]:
    """Graders that live below this folder though their workers have ended."""
    end = time.monotonic() + 20
    while True:
        lines = [_command(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        found = [line for line in lines if "gradclinic." in line and str(folder) in line]
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.1)


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_a_cluster_without_workers_is_said(address: str) -> None:
    with pytest.raises(CourseError, match="The Dask cluster has no workers"):
        Cluster(address, SETTINGS)


def test_no_scheduler_is_said() -> None:
    with pytest.raises(CourseError, match="No Dask scheduler answers at"):
        Cluster("nonsense://here", SETTINGS)
