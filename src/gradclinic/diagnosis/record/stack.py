"""Where the recorder stands: in torch's stack of modes, in the running modules, in or out of an optimizer's step."""

from __future__ import annotations

import weakref
from types import FrameType

import torch
from torch.overrides import TorchFunctionMode, _pop_mode, _push_mode

from .ledger import Trace

_depth = torch._C._len_torch_function_stack


class Stacked(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """A function mode that can leave the stack from any place in it, and come back to that place."""

    MOST_MODULES = 1 << 16

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace
        self.module = 0  # the running nn.Module, by its number in trace.modules
        self.off = False  # for good
        self._above: int | None = None  # how many modes stood above it when it was taken out
        self._step: tuple[int, int] | None = None  # the frame of the optimizer's step that it is out for
        self._numbers: dict[int, int] = {}

    # ---- the stack of modes

    def put_in(self) -> None:
        _push_mode(self)

    def remove(self) -> bool:
        """Whether it stood in the stack of this thread."""
        above = []
        while _depth():
            mode = _pop_mode()
            if mode is self:
                break
            above.append(mode)
        else:
            mode = None
        for other in reversed(above):
            _push_mode(other)
        self._above = len(above)
        return mode is self

    def _insert(self) -> None:
        above = [_pop_mode() for _ in range(min(self._above or 0, _depth()))]
        for mode in (self, *reversed(above)):
            _push_mode(mode)

    # ---- Optimizer.step

    def pause(self, step: FrameType) -> None:
        """Out of the stack while `step`, the frame of an optimizer's step, runs: there it would only cost time."""
        if self._step is None and self.remove():
            self._step = id(step), id(step.f_code)

    def resume(self) -> bool:
        """Back into the stack; whether it was out."""
        if self._step is None:
            return False
        self._step = None
        if not self.off:
            self._insert()
        return True

    def resume_after_step(self, frame: FrameType | None) -> None:
        """Back into the stack if the step that it is out for has raised: then it is not among the callers."""
        if self._step is None:
            return
        while frame is not None:
            if (id(frame), id(frame.f_code)) == self._step:
                return
            frame = frame.f_back
        self.resume()

    # ---- modules

    def enter_module(self, module: torch.nn.Module, caller: FrameType) -> None:
        if self._step is not None:
            self.resume_after_step(caller)
        try:
            number = self._numbers.get(id(module))
            known = self.trace.modules[number] if number is not None else None
            if known is None or known[0]() is not module:
                number = self._number(module)
            self.module = number or 0
        except Exception as error:
            self.failed(error)

    def _number(self, module: torch.nn.Module) -> int:
        if len(self.trace.modules) >= self.MOST_MODULES:
            return 0
        outer = self.trace.modules[self.module]
        number = self._numbers[id(module)] = len(self.trace.modules)
        self.trace.modules.append((weakref.ref(module), outer[1] if outer else weakref.ref(module)))
        return number

    def failed(self, error: Exception) -> None:
        """Notes what went wrong in here; the program goes on."""
        if len(self.trace.failures) < 10:
            self.trace.failures.append(f"{type(error).__name__}: {error}")
