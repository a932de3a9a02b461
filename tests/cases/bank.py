"""Runs a case of the bank as it stands, and puts the questions of `adapters.py` to diagnose while it runs."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

HERE = Path(__file__).parent
# The helper that each folder's cases import, and the function in it that catches what a case raises.
CATCHERS = {"forum": ("_obs", "attempt"), "github": ("_truth", "trap")}

Answer = dict[str, Any]

# Compiled as a file of torch: its frames must not look like the user's.
_SHIM = """
class Watch(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func == read_grad:
            self.reads.append(args[0])
        elif func is backward:
            self.roots.append(args[0])
        elif func is grad:
            self.asked.append(tuple((one,) if isinstance(one, Tensor) else tuple(one) for one in args[:2]))
        return func(*args, **(kwargs or {}))
"""


def watch() -> Any:
    """A mode that remembers what a case leaves unnamed: roots of backward, arguments of autograd.grad, reads of .grad.

    It lies under the trace, so that the trace sees the same frames as without it.
    """
    names: dict[str, Any] = {
        "Tensor": torch.Tensor,
        "TorchFunctionMode": TorchFunctionMode,
        "backward": torch.Tensor.backward,
        "grad": torch.autograd.grad,
        "read_grad": torch.Tensor.grad.__get__,  # type: ignore[union-attr]
        "__name__": "torch._bank_shim",
    }
    exec(compile(_SHIM, os.path.join(os.path.dirname(torch.__file__), "_bank_shim.py"), "exec"), names)
    mode = names["Watch"]()
    mode.roots, mode.asked, mode.reads = [], [], []
    return mode


class Session:
    """One run of one case, with its questions; the answers are plain data."""

    def __init__(self, case: str, asks: tuple[Any, ...], traced: bool) -> None:
        self.folder, _, self.name = case.partition("/")
        self.file = str(HERE / self.folder / f"{self.name}.py")
        # the tracer lends frames of its own the name and file of the caller: only the case's own code counts
        self.codes = {_key(code) for code in _codes_in(compile(Path(self.file).read_bytes(), self.file, "exec"))}
        self.asks, self.traced = asks, traced
        self.watch = watch()
        self.answers: dict[str, Answer] = {}
        self.errors = 0
        self.returns: Counter[str] = Counter()

    def run(self, trace: Callable[[], Any] | None) -> dict[str, Answer]:
        sys.path.insert(0, str(HERE / self.folder))
        self._catch_errors()
        warnings.simplefilter("ignore")
        module = importlib.import_module(self.name)
        functions = [module.broken]
        for name in ("fixed", "probe"):
            if any(ask.at == f"return {name}" for ask in self.asks):
                functions.append(getattr(module, name))
        used = " ".join(f"{ask.target} {ask.loss}" for ask in self.asks)
        watched = any(name in used for name in ("ROOTS", "ASKED", "READS"))
        for function in functions:
            with self.watch if watched else contextlib.nullcontext(), trace() if trace else contextlib.nullcontext():
                sys.settrace(self._enter)
                try:
                    function()
                finally:
                    sys.settrace(None)
        return self.answers

    def _catch_errors(self) -> None:
        helper, name = CATCHERS[self.folder]
        module = importlib.import_module(helper)
        original = getattr(module, name)

        def catcher(function: Callable[[], Any], *more: Any) -> Any:
            def spied() -> Any:
                try:
                    return function()
                except Exception as error:
                    self._moment(f"error {self.errors}", self._names_of(error.__traceback__), error)
                    self.errors += 1
                    raise

            return original(spied, *more)

        setattr(module, name, catcher)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._step if _key(frame.f_code) in self.codes else None

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._moment(f"before {frame.f_lineno}", {**frame.f_globals, **frame.f_locals})
        elif event == "return":
            name = frame.f_code.co_name
            count, self.returns[name] = self.returns[name], self.returns[name] + 1
            names = {**frame.f_globals, **frame.f_locals, "RETURNED": argument}
            self._moment(f"return {name} {count}" if count else f"return {name}", names)
        return self._step

    def _names_of(self, traceback: TracebackType | None) -> dict[str, Any]:
        frames = [frame for frame, _ in walk_tb(traceback)]
        outer = frames[0].f_back if frames else None
        while outer:
            frames.insert(0, outer)
            outer = outer.f_back
        names: dict[str, Any] = {}
        for frame in frames:
            if _key(frame.f_code) in self.codes:
                names = frame.f_globals | names | frame.f_locals
        return names

    def _moment(self, at: str, names: dict[str, Any], error: BaseException | None = None) -> None:
        for ask in self.asks:
            if ask.at == at and ask.key not in self.answers:
                try:
                    self.answers[ask.key] = self._ask(ask, names, error)
                except Exception as failure:
                    self.answers[ask.key] = {"failed": f"{type(failure).__name__}: {failure}"}

    def _ask(self, ask: Any, names: dict[str, Any], error: BaseException | None) -> Answer:
        from gradclinic import diagnose, explain

        if ask.target is None:
            assert error is not None
            return _plain(explain(error))
        watch = self.watch
        names |= {"ROOTS": list(watch.roots), "READS": list(watch.reads), "ASKED": list(watch.asked)}
        target = eval(ask.target, names)
        known = ask.loss is None or (self.traced and ask.loss == "ROOTS[-1]")
        loss = None if known else eval(ask.loss, names)
        more = {"optimizer": eval(ask.optimizer, names)} if ask.optimizer else {}
        return _plain(diagnose(target, loss, **more))


def _key(code: CodeType) -> tuple[Any, ...]:
    return code.co_filename, code.co_name, code.co_firstlineno, code.co_varnames


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_in(constant)


def _plain(diagnosis: Any) -> Answer:
    return {**diagnosis.as_dict(), "text": diagnosis.text()}


def run_case(case: str, asks: tuple[Any, ...], *, traced: bool, values: bool = False) -> dict[str, Answer]:
    """The answers to the questions about one case, by key. Changes sys.path and the helpers: call it in a child."""
    from gradclinic import trace

    return Session(case, asks, traced).run((lambda: trace(values=values)) if traced else None)
