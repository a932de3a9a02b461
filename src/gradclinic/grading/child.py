"""Inside the child: load the learner's file, run the calls that the judge asks for, send back values only."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib.machinery
import importlib.util
import inspect
import os
import random
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import torch

from gradclinic.grading import limits, wire

if TYPE_CHECKING:
    from gradclinic.grading.confine import Confinement

_SHORT, _LONG, _MANY, _EVENTS = 300, 2000, 20, 2000


class Learner:
    """The learner's module, and calls into it; every answer is one message."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.module: types.ModuleType | None = None

    def load(self) -> dict[str, Any]:
        """Imports the file as a module named `exercise`; returns what was raised and warned meanwhile."""
        sys.path.insert(0, str(Path(self.file).parent))  # helpers beside the exercise can be imported
        loader = importlib.machinery.SourceFileLoader("exercise", self.file)
        spec = importlib.util.spec_from_loader("exercise", loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["exercise"] = module  # dataclasses and pickle look their module up
        with self._watching() as report:
            loader.exec_module(module)
            self.module = module
        _flush()
        return report

    def call(self, request: wire.Unpack) -> bytes:
        """Runs one call. The reply holds the result, the arguments as they are now, and what happened on the way."""
        head = request.head
        name = str(head["function"])
        args = request.value(head["values"]["args"])
        with contextlib.suppress(Exception):  # a module's own __getattr__ may raise: let the call itself tell
            if (problem := self._unfit(name, args)) is not None:
                return wire.message(problem)
        random.seed(head["seed"])
        torch.default_generator.manual_seed(head["seed"])  # torch.manual_seed also looks for accelerators
        result: Any = None
        if not head.get("replay"):
            with self._watching() as report:
                result = getattr(self.module, name)(*args)
        else:
            from gradclinic.grading.replay import Replay

            replay = Replay(self.file, [args, *vars(self.module).values()])
            with self._watching() as report, replay:
                result = getattr(self.module, name)(*args)
            with contextlib.suppress(Exception):  # advice only; without it the verdict stands as well
                report["events"] = replay.events()[-_EVENTS:]
        _flush()
        return self._reply(report, result, args)

    def _unfit(self, name: str, args: Any) -> dict[str, Any] | None:
        function = getattr(self.module, name, None)
        if not callable(function):
            names = [key for key, value in vars(self.module).items() if isinstance(value, types.FunctionType)]
            return {"missing": name, "has": names[:_MANY]}
        try:
            inspect.signature(function).bind(*args)
        except TypeError as error:
            return {"signature": f"{name}{inspect.signature(function)}", "why": str(error), "count": len(args)}
        except ValueError:
            return None  # a callable that hides its signature: let the call itself tell
        return None

    def _reply(self, report: dict[str, Any], result: Any, args: Any) -> bytes:
        for values in ({"result": result, "args": args}, {"result": result}):  # odd arguments are no odd answer
            with contextlib.suppress(Exception):
                return wire.message(report, **values)
        try:
            wire.message(report, result=result)
        except wire.WireError as error:
            report["refused"] = str(error)
        except Exception as error:  # a subclass whose very properties raise
            report["refused"] = f"a value that cannot be read ({type(error).__name__})"
        return wire.message(report)

    @contextlib.contextmanager
    def _watching(self) -> Iterator[dict[str, Any]]:
        report: dict[str, Any] = {"exception": None, "warnings": []}
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                yield report
            except BaseException as error:  # SystemExit and KeyboardInterrupt are answers, too
                report["exception"] = self._exception(error)
        for warning in seen[:_MANY]:
            own = _same(warning.filename, self.file)
            report["warnings"].append(
                {
                    "category": warning.category.__name__,
                    "text": _text(warning.message, _LONG),
                    "line": warning.lineno if own else None,
                }
            )

    def _exception(self, error: BaseException) -> dict[str, Any]:
        frames = [
            {"line": f.lineno, "column": f.colno, "end_column": f.end_colno, "end_line": f.end_lineno, "in": f.name}
            for f in traceback.extract_tb(error.__traceback__)
            if _same(f.filename, self.file)
        ]
        told: dict[str, Any] = {"type": type(error).__name__, "text": _text(error, _LONG), "frames": frames[-_MANY:]}
        told["kinds"] = [kind.__name__ for kind in type(error).__mro__]
        if isinstance(error, SyntaxError):
            told["syntax"] = {"line": error.lineno, "column": error.offset, "text": (error.text or "")[:_SHORT]}
            told["text"] = _text(error.msg, _LONG)
            told["own_file"] = _same(error.filename or "", self.file)
        if isinstance(error, SystemExit):
            told["text"] = _text(error.code, _SHORT)
        return told


def _same(one: str, other: str) -> bool:
    return os.path.normcase(one) == os.path.normcase(other)


def _text(value: object, size: int) -> str:
    try:
        return str(value)[:size]
    except BaseException as error:  # a learner's __str__ may raise, and may exit
        return f"<its text cannot be shown: {type(error).__name__}>"


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # whatever the learner has put there
            stream.flush()


def serve(job: dict[str, Any], requests: IO[bytes], replies: IO[bytes], confinement: Confinement | None = None) -> None:
    """The child's whole life: set up, say ready, load, answer calls until the pipe ends."""
    trace = open(job["trace"], "w")  # noqa: SIM115 - faulthandler writes to it until this process ends
    faulthandler.enable(trace)
    _settle(job["folder"])
    if confinement is None:
        missing = limits.apply_in_child(job["memory_mb"])
    else:
        missing = confinement.apply(Path(job["file"]).parent, Path(job["folder"]), job["memory_mb"], job["seconds"])
    replies.write(wire.message({"ready": True, "missing": missing}))
    replies.flush()
    learner = Learner(job["file"])
    while (request := wire.read(requests)) is not None:
        # the judge kills shortly after this point: what was running then is on file by that time
        faulthandler.dump_traceback_later(request.head["seconds"], file=trace)
        answer = learner.call(request) if "function" in request.head else wire.message(learner.load())
        faulthandler.cancel_dump_traceback_later()
        replies.write(answer)
        replies.flush()


def _settle(folder: str) -> None:
    os.environ["TMPDIR"] = os.environ["HOME"] = folder
    tempfile.tempdir = folder  # whoever asked earlier in this process has settled on another
    sys.argv = ["exercise"]
    sys.dont_write_bytecode = True
    sys.stdin = open(os.devnull)  # noqa: SIM115
    sys.stdout = open(1, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
