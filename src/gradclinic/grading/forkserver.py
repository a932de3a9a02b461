"""A process that has imported torch and nothing else, and forks a child per check.

It is forked from the command right after the import and before any check is read, so that nothing of the
answers is in its memory; or started by exec where that is not possible. It runs no tensor operation that could
start a thread, for a child forked after one can hang (measured).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradclinic
from gradclinic.grading import limits

if TYPE_CHECKING:
    from gradclinic.grading.confine import Confinement

FDS = 3  # requests, replies, output


def loop(control: socket.socket, confinement: Confinement | None = None) -> None:
    """Serves spawn, finish and preload requests, one JSON line each, until the judge hangs up."""
    limits.adopt_orphans()
    buffer = b""
    fds: list[int] = []
    while True:
        data, new, _, _ = socket.recv_fds(control, 65536, FDS)
        if not data:
            break
        fds += new
        buffer += data
        while b"\n" in buffer:
            line, _, buffer = buffer.partition(b"\n")
            request = json.loads(line)
            if request["do"] == "spawn":
                answer = _spawn(request["job"], fds, control, confinement)
                fds = []
            elif request["do"] == "preload":
                importlib.import_module(request["module"])
                _make_ready(confinement)
                answer = {"loaded": request["module"]}
            else:
                answer = _finish(request["pid"], request["grace"])
            control.sendall(json.dumps(answer).encode() + b"\n")
    limits.end_descendants()


def _spawn(
    job: dict[str, Any], fds: list[int], control: socket.socket, confinement: Confinement | None
) -> dict[str, Any]:
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            _become_child(job, fds, parent, control, confinement)
        finally:
            os._exit(70)
    for fd in fds:
        os.close(fd)
    return {"pid": pid}


def _become_child(
    job: dict[str, Any], fds: list[int], parent: int, control: socket.socket, confinement: Confinement | None
) -> None:
    requests, replies, output = fds
    os.setsid()
    control.close()
    limits.die_with_parent(parent)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(null)
    os.close(output)
    os.chdir(job["folder"])
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from gradclinic.grading import child

    with open(requests, "rb") as reader, open(replies, "wb") as writer:
        child.serve(job, reader, writer, confinement)
        os._exit(0)


def _finish(pid: int, grace: float) -> dict[str, Any]:
    """Ends a child and all that it started; its own exit status is read before it is killed."""
    status = _wait(pid, grace)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if status is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _wait(pid, None)
    limits.end_descendants()
    return {"status": status}


def _wait(pid: int, grace: float | None) -> int | None:
    end = None if grace is None else time.monotonic() + grace
    while True:
        try:
            done, status = os.waitpid(pid, 0 if end is None else os.WNOHANG)
        except ChildProcessError:
            return None
        if done:
            return os.waitstatus_to_exitcode(status)
        if end is not None and time.monotonic() >= end:
            return None
        time.sleep(0.002)


def main() -> None:
    """Started by exec: `python -m gradclinic.grading.forkserver FD [ROOT]`; with ROOT its children are confined."""
    limits.die_with_parent(os.getppid())
    import torch  # noqa: F401 - so that no child has to

    from gradclinic.grading import child  # noqa: F401

    confinement = made_ready(Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    control = socket.socket(fileno=int(sys.argv[1]))
    control.sendall(b'{"ready": true}\n')
    loop(control, confinement)


def made_ready(root: Path | None) -> Confinement | None:
    """Prepares for the forks; with `root`, also the confinement of the children."""
    confinement = _confinement(root) if root is not None else None
    _make_ready(confinement)
    return confinement


def _confinement(root: Path) -> Confinement:
    # a confined child cannot read this package: what a replay needs, and what learners import, is imported before
    from gradclinic.diagnosis.tell import render  # noqa: F401
    from gradclinic.grading import replay  # noqa: F401
    from gradclinic.grading.confine import Confinement

    for name in gradclinic.__all__:
        getattr(gradclinic, name)
    return Confinement(root)


def _make_ready(confinement: Confinement | None) -> None:
    """Makes each of the coming forks cheaper; for a whole class it pays to spend more on it."""
    if confinement is not None:
        from gradclinic.grading import hugepages, warmup

        warmup.run()
        gc.collect()
        gc.freeze()
        hugepages.gather()
    else:
        gc.freeze()


if __name__ == "__main__":
    main()
