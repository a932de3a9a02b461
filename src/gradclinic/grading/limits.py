"""What a child may use, and how each limit is set on this platform."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """Bounds for one exercise: seconds of the learner's code, megabytes beyond the interpreter, bytes of output."""

    seconds: float = 10.0
    memory_mb: int = 512
    output_bytes: int = 64 * 1024


# Set before torch is imported: a thread pool built before a fork makes the child hang at its first parallel
# operation (measured), and an accelerator cannot be shared with a forked child at all.
QUIET_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HIP_VISIBLE_DEVICES": "",
    "ZE_AFFINITY_MASK": "",
}

MOST_THREADS = 500  # of one child: more than a computation starts, and too few to use up a machine's

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def die_with_parent(parent: int) -> None:
    """Linux: this process is killed when its parent ends, however that happened."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def adopt_orphans() -> None:
    """Linux: processes that a child leaves behind come to this one, which can then end them."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def apply_in_child(memory_mb: int) -> list[str]:
    """Sets the limits of the calling process; returns what could not be set here, in words for the verdict."""
    missing: list[str] = []
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        cap = _address_space() + memory_mb * 2**20
        if (hard := resource.getrlimit(resource.RLIMIT_AS)[1]) != resource.RLIM_INFINITY:
            cap = min(cap, hard)
        resource.setrlimit(resource.RLIMIT_AS, (cap, cap))
    else:
        missing.append(f"no memory limit on {sys.platform}")
    if sys.platform == "darwin":
        import torch

        torch.backends.mps.is_available = lambda: False
    return missing


def threads_of(pid: int) -> int:
    """Of another process; 0 where that cannot be told. No limit of the kernel counts them for one process alone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def end_descendants() -> None:
    """Kills every process below this one, in rounds, until none is left (on Linux)."""
    while _has_children():
        for pid in _children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def end_holders(pipe: int) -> None:
    """Linux: kills every other process that holds the pipe. Without a server nobody adopts what a child left behind."""
    if sys.platform != "linux":
        return
    name = os.readlink(f"/proc/self/fd/{pipe}")
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if name in map(os.readlink, Path(entry.path, "fd").iterdir()):
                    os.kill(int(entry.name), signal.SIGKILL)


def _has_children() -> bool:
    if sys.platform != "linux":
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _children(pid: int) -> set[int]:
    found: set[int] = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = Path(entry.path, "stat").read_text()
                if int(stat.rpartition(")")[2].split()[1]) == pid:
                    found.add(int(entry.name))
    return found
