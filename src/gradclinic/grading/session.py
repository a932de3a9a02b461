"""One child, as the judge sees it: calls with a deadline, capped output, and how it ended."""

from __future__ import annotations

import contextlib
import io
import os
import queue
import random
import re
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

import torch

from gradclinic.grading import wire
from gradclinic.grading.child import Learner
from gradclinic.grading.limits import MOST_THREADS, Limits, threads_of
from gradclinic.grading.reports import read_report
from gradclinic.grading.scratch import Scratch
from gradclinic.grading.servers import ForkServer, FreshProcesses, ServerLost, undisturbed

_POOL = ThreadPoolExecutor(32, "gradclinic")  # starting a thread for each pipe of each child took longer than the child
_SURE_TO_FIT = 16 * 1024  # bytes that every platform's pipe takes from us even if the child does not read
_READY_SECONDS = 120.0  # an interpreter that imports torch on a loaded laptop
_LAST_WORDS = 0.1  # between the child's own note of where it hangs and the kill
_TRACE_LINE = re.compile(r'  File "([^"\n]*)", line (\d{1,7}) in ')  # linear: the child can write to the trace as well
_TRACE_BYTES = 64 * 1024
_WAITING = 2  # replies that nobody has asked for yet
_LOOK_SECONDS = 0.1  # between two looks into the folder of a child that is waited for


class ChildEnded(Exception):
    """No reply came: `timeout`, `died`, `disk`, `threads` or `garbled`; with status and line, where known."""

    def __init__(self, how: str, status: int | None = None, line: int | None = None, text: str = "") -> None:
        super().__init__(how)
        self.how, self.status, self.line, self.text = how, status, line, text


@dataclass
class Budget:
    """Seconds of the learner's code that are left; only waiting for the child counts."""

    seconds: float


@dataclass
class Reply:
    """What one call (or the loading of the file) gave back."""

    report: dict[str, Any]
    result: Any = None
    args: Any = None
    facts: list[dict[str, Any]] = field(default_factory=list)  # of every tensor: version, is_leaf, retains_grad, ...

    @classmethod
    def of(cls, unpack: wire.Unpack) -> Reply:
        nodes = unpack.head.get("values", {})
        if not isinstance(nodes, dict):
            raise wire.WireError("an unreadable message (no values)")
        values = {name: unpack.value(node) for name, node in nodes.items()}
        return cls(read_report(unpack.head), values.get("result"), values.get("args"), unpack.facts)


class Session(Protocol):
    """What the runner needs of a child, wherever it runs."""

    def load(self) -> Reply: ...

    def call(self, function: str, args: tuple[Any, ...], *, seed: int, replay: bool = False) -> Reply: ...

    def close(self) -> str: ...


class NewSession(Protocol):
    """Starts a child for a file; `replay` says that a call is going to be replayed in it."""

    def __call__(self, file: Path, budget: Budget, *, replay: bool = False) -> Session: ...


class ChildSession:
    """A child process of a server. `close()` ends it and returns what it printed."""

    def __init__(self, server: ForkServer | FreshProcesses, file: Path, limits: Limits, budget: Budget) -> None:
        self._budget, self._file = budget, file
        self._printed = bytearray()
        self._printed_bytes = 0
        self._cap = limits.output_bytes
        self._replies: queue.SimpleQueue[wire.Unpack | wire.WireError | None] = queue.SimpleQueue()
        with undisturbed():  # a signal here would leave a thread that the pool does not know, and waits for at exit
            self._scratch = Scratch(server.root)
            job = {
                "file": str(file),
                "folder": str(self._scratch.folder),
                "trace": str(self._scratch.trace),
                "memory_mb": limits.memory_mb,
                "seconds": budget.seconds,
            }
            self._child = server.spawn(job)
            self._readers = [_POOL.submit(read) for read in (self._read_replies, self._drain)]
        self._ended: ChildEnded | None = None
        try:
            self.missing: list[str] = self._wait(_READY_SECONDS).head["missing"]
        except ChildEnded:  # not a line of the learner's has run: the fault is the server's
            self.close()
            raise ServerLost("no child process could be started") from None

    def _read_replies(self) -> None:
        with contextlib.suppress(ValueError):  # the stream was closed here, after the child's end
            while self._replies.qsize() < _WAITING:
                try:
                    unpack = wire.read(self._child.replies)
                except (wire.WireError, OSError) as error:
                    self._replies.put(error if isinstance(error, wire.WireError) else None)
                    return
                self._replies.put(unpack)
                if unpack is None:
                    return
            self._replies.put(wire.WireError("more replies than calls"))

    def _drain(self) -> None:
        with contextlib.suppress(ValueError, OSError):
            while piece := _some(self._child.output):
                self._printed_bytes += len(piece)
                self._printed += piece[: max(0, self._cap - len(self._printed))]

    def load(self) -> Reply:
        """The loading of the file. Raises ChildEnded, also for what only a call can tell: a missing function."""
        reply = self._ask({})
        if "exception" not in reply.report:
            raise self._end("garbled", text="an unreadable message (no report)")
        return reply

    def call(self, function: str, args: tuple[Any, ...], *, seed: int, replay: bool = False) -> Reply:
        """One call. Raises ChildEnded."""
        return self._ask({"function": function, "seed": seed, "replay": replay}, args=list(args))

    def _ask(self, head: dict[str, Any], **values: Any) -> Reply:
        if self._ended is not None:
            raise self._ended
        seconds = max(0.05, self._budget.seconds)
        note = max(0.01, seconds - _LAST_WORDS)
        request = wire.message({**head, "seconds": note}, **values)
        begun = time.monotonic()
        if len(request) <= _SURE_TO_FIT:
            self._write(request)
        else:
            with undisturbed():
                _POOL.submit(self._write, request)
        try:
            return Reply.of(self._wait(seconds))
        except wire.WireError as error:
            raise self._end("garbled", text=str(error)) from None
        finally:
            self._budget.seconds -= time.monotonic() - begun

    def _write(self, request: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._child.requests.write(request)
            self._child.requests.flush()

    def _wait(self, seconds: float) -> wire.Unpack:
        end, reply = time.monotonic() + seconds, None
        while True:
            left = end - time.monotonic()
            try:
                reply = self._replies.get(timeout=max(0.0, min(left, _LOOK_SECONDS)))
            except queue.Empty:
                if self._scratch.overfull(self._child.pid):
                    raise self._end("disk") from None
                if self._child.pid is not None and threads_of(self._child.pid) > MOST_THREADS:
                    raise self._end("threads") from None
                if left > _LOOK_SECONDS:
                    continue
                raise self._end("timeout") from None
            break
        if self._scratch.overfull():
            raise self._end("disk")
        if isinstance(reply, wire.WireError):
            raise self._end("garbled", text=str(reply))
        if reply is None:
            raise self._end("died")
        return reply

    def _end(self, how: str, text: str = "") -> ChildEnded:
        status = None
        try:
            status = self._child.end(grace=1.0 if how == "died" else 0.0)
        except ServerLost:
            text = text or "it also killed the process that had started it"
        self._ended = ChildEnded(how, status, self._traced_line(), text)
        return self._ended

    def _traced_line(self) -> int | None:
        """The innermost line of the learner's file that faulthandler saw, the main thread's if there are several."""
        try:
            with open(self._scratch.trace, "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TRACE_BYTES))
                trace = file.read(_TRACE_BYTES).decode(errors="replace")
        except OSError:
            return None
        for thread in reversed(trace.split("\n\n")):
            for file, line in _TRACE_LINE.findall(thread):
                if Path(file) == self._file:
                    return int(line)
        return None

    def close(self) -> str:
        """Ends the child, if it still runs, and returns its output, capped."""
        if self._ended is None:
            with contextlib.suppress(ServerLost):
                self._child.end(grace=0.0)
        if not wait(self._readers, timeout=1.0).not_done:  # closing under a blocked reader would block, too
            for stream in (self._child.requests, self._child.replies, self._child.output):
                with contextlib.suppress(OSError, ValueError):
                    stream.close()
        self._scratch.remove()
        printed = self._printed.decode(errors="replace")
        text = "".join(c if c.isprintable() or c in "\n\t" else " " for c in printed)  # no codes for the terminal
        if self._printed_bytes > self._cap:
            text += f"\n[{self._printed_bytes - self._cap} more bytes of output were dropped]\n"
        return text


def _some(stream: IO[bytes]) -> bytes:
    return stream.read1(65536)  # type: ignore[attr-defined,no-any-return]


class InProcessSession:
    """The learner's code in this very process, for `breakpoint()`: trusted, no deadline, through the same wire."""

    def __init__(self, file: Path) -> None:
        self._learner = Learner(str(file))
        self.missing = ["no deadline", "no memory limit", "the code is trusted"]

    def load(self) -> Reply:
        with _restored():
            return _round_trip(wire.message(self._learner.load()))

    def call(self, function: str, args: tuple[Any, ...], *, seed: int, replay: bool = False) -> Reply:
        request = wire.message({"function": function, "seed": seed, "replay": replay}, args=list(args))
        with _restored():
            return _round_trip(self._learner.call(_unpack(request)))

    def close(self) -> str:
        return ""  # what it printed is on the screen already


def _unpack(message: bytes) -> wire.Unpack:
    unpack = wire.read(io.BytesIO(message))
    assert unpack is not None
    return unpack


def _round_trip(message: bytes) -> Reply:
    return Reply.of(_unpack(message))


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    """RNG, grad mode, default dtype, threads, warning filters, path and cwd are as before, whatever the code did."""
    rng, python_rng = torch.get_rng_state(), random.getstate()
    grad, dtype, threads = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads()
    path, here = list(sys.path), os.getcwd()
    with warnings.catch_warnings():
        try:
            yield
        finally:
            torch.set_rng_state(rng)
            random.setstate(python_rng)
            torch.set_grad_enabled(grad)
            torch.set_default_dtype(dtype)
            torch.set_num_threads(threads)
            torch.set_anomaly_enabled(False)
            sys.path[:] = path
            sys.modules.pop("exercise", None)
            os.chdir(here)
