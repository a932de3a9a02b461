"""Calls functions in children of one process that has imported torch: each starts from the same state, in milliseconds.

Where no process can be forked safely (Windows, macOS), each call gets a fresh process, which answers the same.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

CALL_SECONDS = 120
_FORKS = sys.platform == "linux"


@dataclass(frozen=True)
class Call:
    """A function as `package.module:name`, with keyword arguments that JSON can hold."""

    function: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the function returned, as JSON holds it; or in `failed` why there is nothing."""

    value: Any = None
    failed: str = ""


def answers(calls: Sequence[Call], forks: bool = _FORKS) -> list[Answer]:
    """The answers to all calls, in their order. A call that raises, dies or takes too long fails alone."""
    if not calls:
        return []
    if forks:
        return _asked(calls)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [answer for (answer,) in pool.map(_asked, [[call] for call in calls])]


def _asked(calls: Sequence[Call]) -> list[Answer]:
    # A person's own warning filters must not change what a page shows; threads of several children would fight.
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    env.pop("PYTHONWARNINGS", None)
    command = [sys.executable, "-m", __name__]
    text = json.dumps([asdict(call) for call in calls])
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=env, check=False)
    if done.returncode:  # torch cannot be imported; or, in a process for one call alone, the call has ended it
        return [Answer(failed=f"the process that runs the programs ended: {done.stderr.strip()}")] * len(calls)
    return [Answer(**answer) for answer in json.loads(done.stdout)]


def serve() -> None:
    """Reads the calls from stdin, writes the answers to stdout; the children see neither."""
    calls = [Call(**call) for call in json.loads(sys.stdin.read())]
    channel = os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    for module in {"torch", "torch._dynamo", *(call.function.partition(":")[0] for call in calls)}:
        import_module(module)  # torch._dynamo: the first optimizer of each child would import it
    gc.freeze()  # else the first collection of each child would copy every page of memory
    with tempfile.TemporaryDirectory(prefix="gradclinic-") as folder:
        found = _forked(calls, Path(folder)) if _FORKS else [_answer(call) for call in calls]
    with open(channel, "w", encoding="utf-8") as out:
        json.dump([asdict(answer) for answer in found], out)


def _forked(calls: Sequence[Call], folder: Path) -> list[Answer]:
    """As many children at a time as there are cores. Each leaves its answer in a file; none there: it died."""
    waiting, running = list(enumerate(calls)), dict[int, int]()
    found = [Answer()] * len(calls)
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            number, call = waiting.pop(0)
            if not (pid := os.fork()):
                _child(call, folder / f"{number}.json")
            running[pid] = number
        pid, status = os.wait()
        number = running.pop(pid)
        file = folder / f"{number}.json"
        found[number] = Answer(**json.loads(file.read_text("utf-8"))) if file.exists() else Answer(failed=_end(status))
    return found


def _child(call: Call, file: Path) -> None:
    try:
        signal.alarm(CALL_SECONDS)
        text = json.dumps(asdict(_answer(call)))
        part = file.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.rename(file)
    finally:
        os._exit(0)  # what else the interpreter would do at its end belongs to the parent


def _answer(call: Call) -> Answer:
    try:
        module, _, name = call.function.partition(":")
        return Answer(getattr(import_module(module), name)(**call.arguments))
    except Exception as error:
        return Answer(failed=f"{type(error).__name__}: {error}")


def _end(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGALRM:
        return f"it did not end within {CALL_SECONDS} seconds."
    return "its process died" + (f" of {signal.Signals(-code).name}." if code < 0 else ".")


if __name__ == "__main__":
    serve()
