"""The judge's end of the process that makes children: a forkserver, or a fresh process for each child."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from gradclinic.course import CourseError
from gradclinic.grading import limits, namespaces
from gradclinic.grading.isolation import offered

_HARMLESS = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
_ARENAS = "2"  # each takes 64 MB of a child's address space, and each thread of its own would get one
_ANSWER_SECONDS = 30.0  # for a fork or the end of a child, on a loaded laptop


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Holds Ctrl-C and the like back until the end: torch's start-up takes any error in numpy for "no numpy"."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)


class ServerLost(Exception):
    """The forkserver has ended; a learner's code can kill it, and the judge then starts another."""


class NoProcess(CourseError):
    """Not the course is at fault: this machine starts no child, or an answer ends whatever would start one."""


class ForkServer:
    """Asks the forkserver for children. Its first life may be a fork of this process, a later one is executed."""

    kind = "fork"

    def __init__(self, control: socket.socket, pid: int, root: Path | None = None, *, apart: bool = False) -> None:
        self._control, self._pid, self.root = control, pid, root
        self.apart = apart  # its children's numbers are those of another namespace, and mean other processes here
        control.settimeout(_ANSWER_SECONDS)
        self._replies = control.makefile("rb")
        self.preloaded: set[str] = set()

    @classmethod
    def fork(cls, root: Path | None = None) -> ForkServer:
        """Forks this process. Only for one that has a single thread and has run no tensor operation; with `root` only
        for one that was started with nothing secret.
        """
        with undisturbed():
            return cls._fork(root)

    @classmethod
    def _fork(cls, root: Path | None) -> ForkServer:
        import torch  # noqa: F401 - one import serves the judge and every child

        from gradclinic.grading import child, forkserver  # noqa: F401

        gc.collect()
        gc.freeze()  # else a collection walks all of torch, and a child copies each page that it touches
        mine, theirs = socket.socketpair()
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            try:
                _leave_the_command(theirs, parent)
                forkserver.loop(theirs, forkserver.made_ready(root))
            finally:
                os._exit(0)
        theirs.close()
        return cls(mine, pid, root)

    @classmethod
    def execute(cls, root: Path | None = None) -> ForkServer:
        """Starts a new interpreter: where torch or threads are already here, or after a loss.

        With `root` its children are confined: answers and scratch folders lie below it, and the environment of this
        process, which may hold secrets, stays here.
        """
        mine, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "gradclinic.grading.forkserver", str(theirs.fileno())]
        environment: Mapping[str, str] = os.environ
        apart = root is not None and offered().level == "namespaces"
        if root is not None:
            command.append(str(root))
            command = namespaces.wrapped(command, root) if apart else command
            environment = harmless_environment(root)
        process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**environment, **limits.QUIET_ENVIRONMENT},
            start_new_session=True,
        )
        theirs.close()
        server = cls(mine, process.pid, root, apart=apart)
        process.returncode = 0  # waited for in close(); else the object warns when it is collected
        server._answer()
        return server

    def preload(self, module: str) -> None:
        """Imports a module for all later children: one import instead of one in each."""
        if module not in self.preloaded:
            self._ask({"do": "preload", "module": module})
            self.preloaded.add(module)

    def spawn(self, job: dict[str, Any]) -> ForkedChild:
        """Forks a child; raises ServerLost."""
        their_requests, requests = os.pipe()
        replies, their_replies = os.pipe()
        output, their_output = os.pipe()
        theirs = [their_requests, their_replies, their_output]
        try:
            line = json.dumps({"do": "spawn", "job": job}).encode() + b"\n"
            socket.send_fds(self._control, [line], theirs)
            pid = int(self._answer()["pid"])
        except (OSError, ServerLost):
            for fd in (requests, replies, output):
                os.close(fd)
            raise ServerLost from None
        finally:
            for fd in theirs:
                os.close(fd)
        return ForkedChild(self, pid, open(requests, "wb"), open(replies, "rb"), open(output, "rb"))

    def finish(self, pid: int, grace: float) -> int | None:
        return self._ask({"do": "finish", "pid": pid, "grace": grace}).get("status")

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            self._control.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            raise ServerLost from None
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        try:
            line = self._replies.readline()
        except OSError:  # no answer in time: a learner's code can stop the server as well as kill it
            line = b""
        if not line:
            self._kill()
            raise ServerLost
        return dict(json.loads(line))

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """Hangs up; the forkserver ends all that is below it, then itself."""
        self._replies.close()
        self._control.close()
        end = time.monotonic() + _ANSWER_SECONDS
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(self._pid, os.WNOHANG)[0] == 0:
                if time.monotonic() > end:
                    self._kill()
                time.sleep(0.002)


class ForkedChild:
    """A running child: three streams, and a way to end it."""

    def __init__(
        self, server: ForkServer, pid: int, requests: IO[bytes], replies: IO[bytes], output: IO[bytes]
    ) -> None:
        self.requests, self.replies, self.output = requests, replies, output
        self._server, self._pid = server, pid
        self.pid = None if server.apart else pid

    def end(self, grace: float) -> int | None:
        """Ends the child and what it started; its exit status if it ended by itself. Raises ServerLost."""
        try:
            return self._server.finish(self._pid, grace)
        except ServerLost:
            if self.pid is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            limits.end_holders(self.output.fileno())
            raise


class FreshProcesses:
    """One new interpreter for each child: slower, and the way where fork does not serve."""

    kind = "process"
    root = None
    preloaded: frozenset[str] = frozenset()

    def preload(self, module: str) -> None:
        """Nothing is shared between fresh processes."""

    def spawn(self, job: dict[str, Any]) -> FreshChild:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gradclinic.grading.fresh", json.dumps(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=job["folder"],
            env={**os.environ, **limits.QUIET_ENVIRONMENT},
        )
        return FreshChild(process)

    def close(self) -> None:
        """Its children end one by one, each after its check."""


class FreshChild:
    """A child with an interpreter of its own; its output comes on stderr."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid: int | None = process.pid
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self.requests, self.replies, self.output = process.stdin, process.stdout, process.stderr

    def end(self, grace: float) -> int | None:
        status = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self._process.wait(grace)
        self._process.kill()
        self._process.wait()
        return status


def _leave_the_command(control: socket.socket, parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command; the server ends when it hangs up
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # not the command's handlers
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    os.setsid()
    limits.die_with_parent(parent)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    limit = os.sysconf("SC_OPEN_MAX")
    keep = control.fileno()
    os.closerange(3, keep)
    os.closerange(keep + 1, min(limit, 65536))


def harmless_environment(root: Path) -> dict[str, str]:
    """What a process may be started with whose children run code that nobody has vetted."""
    kept = {name: value for name, value in os.environ.items() if name in _HARMLESS}
    return {**kept, **limits.QUIET_ENVIRONMENT, "HOME": str(root), "MALLOC_ARENA_MAX": _ARENAS}


def _started_harmless(root: Path) -> bool:
    """Whether this process was: what it has deleted from its environment since is still in its memory."""
    try:
        entries = Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return {os.fsdecode(entry).partition("=")[0] for entry in entries if entry} <= harmless_environment(root).keys()


def start(root: Path | None = None) -> ForkServer | FreshProcesses:
    """The best server that works here; with `root` one whose children are confined to their parts of that folder."""
    os.environ.update(limits.QUIET_ENVIRONMENT)
    if not hasattr(os, "fork"):
        return FreshProcesses()
    if sys.platform == "darwin":
        return FreshProcesses()  # forking after Accelerate has started is not safe there
    if "torch" in sys.modules or threading.active_count() > 1:
        return ForkServer.execute(root)
    if root is not None and (offered().level == "namespaces" or not _started_harmless(root)):
        return ForkServer.execute(root)
    return ForkServer.fork(root)
