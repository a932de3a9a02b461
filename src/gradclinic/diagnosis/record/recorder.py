"""The function mode that writes the ledger: sees every torch function called in its thread.

It keeps weak references only, reads nothing that would make a Python wrapper of a graph node, and calls the function
as if the user's own line did, so that warnings name that line. Whatever fails in here is noted and never raised.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch
from torch.overrides import handle_torch_function

from .happenings import Happenings
from .ledger import Trace
from .names import Kind, Role, kind_of, may_be_kept
from .rows import FACTORY, GRAD_MODE, TRACKED_IN, TRACKED_OUT
from .site import HIDDEN, uncounted
from .views import Ref
from .writer import PLAIN, Writer, first, tensors

_HANDLE = handle_torch_function.__code__
_Parameter = torch.nn.Parameter
_Tensor = torch.Tensor
_OP, _GRAD = Role.OP, Role.GRAD
_NOTHING: dict[str, Any] = {}
_getframe = sys._getframe
_grad_enabled = torch.is_grad_enabled


class Recorder(Writer):
    """Records into one trace, for one thread."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.happenings = Happenings(self)
        self.compiled: Callable[[], None] = lambda: None  # told when something is compiled meanwhile
        self.silent = 0  # inside a call that is recorded as a whole
        self._kinds: dict[Any, Kind] = {}
        self._known = trace.places.known
        self._slow = trace.values

    # ---- the mode

    @uncounted
    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        try:
            kind = self._kinds[func]
        except (KeyError, TypeError):
            kind = self._learn(func)
        try:
            if kind.quiet or self.off or self.silent:
                return func(*args, **kwargs or _NOTHING)
            frame = _getframe(1)
            if frame.f_code is _HANDLE:  # a torch function in Python: its caller is two frames up
                frame = frame.f_back.f_back  # type: ignore[union-attr, assignment]
            if kind.plain and not (kind.switch and kind.writes(args, kwargs or _NOTHING)):
                return self._plain(kind, func, args, kwargs or _NOTHING, frame)
            if kind.role is _GRAD and self.trace.places.kind(frame.f_code) == HIDDEN and args[0].is_leaf:
                return self.happenings.read_by_torch(args[0], func(*args))
            return self.call(kind, func, args, kwargs or _NOTHING, frame)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next  # without this frame
            raise

    @uncounted
    def _plain(
        self, kind: Kind, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], frame: Any
    ) -> Any:
        """What `call` does, for an operation that is not in place; the way of nearly all, so it is written out."""
        trace, inputs, flags, numbers = self.trace, [], 0, None
        made = trace.made
        try:
            stub, site, code = self._known.get(id(frame.f_code) + frame.f_lasti) or trace.places.learn(frame)
            if not site:
                site = trace.places.index(frame)
            if stub is None:
                stub = FunctionType(code, frame.f_globals)
            handed = self.handed.kept
            for value in args:
                cls = type(value)
                if cls is _Tensor or cls is _Parameter:
                    ref = made.get(id(value))
                    if ref is None or ref() is not value:
                        ref = self.source(value, site)
                    if value.requires_grad:
                        inputs.append(ref.row << 1 | 1)
                        flags = TRACKED_IN
                    else:
                        inputs.append(ref.row << 1)
                        ref.used = True
                elif cls is tuple or cls is list:
                    numbers = self.scan(value, inputs, site) or numbers
                elif cls not in PLAIN or handed:
                    numbers = self.scan((value,), inputs, site) or numbers
            if kwargs:
                numbers = self.scan(kwargs.values(), inputs, site) or numbers
            grad_mode = _grad_enabled()
        except Exception as error:
            self.failed(error)
            return function(*args, **kwargs)
        try:
            result = stub(function, args, kwargs)
        except BaseException as error:
            self.raised(kind, None, error)
            raise
        try:
            if not (numbers or self._slow or (kwargs and "out" in kwargs)):
                cls = type(result)
                if cls is _Tensor:
                    ref = made.get(id(result))
                    fresh = ref is None or ref() is not result
                    if fresh and self._common(kind, inputs, flags, site, grad_mode, result):
                        return result
                elif cls is tuple and flags and self._all_tracked(result):
                    self._common(kind, inputs, flags, site, grad_mode, result[0])
                    row = made[id(result[0])].row
                    for one in result[1:]:
                        self.point(one, row)
                    return result
            self._after(kind, (inputs, site, grad_mode, None, numbers), args, kwargs, result)
        except Exception as error:
            self.failed(error)
        return result

    def _all_tracked(self, results: tuple[Any, ...]) -> bool:
        """Whether these are several new tensors, all with a history: as from split, or from an LSTM cell."""
        made = self.trace.made
        for one in results:
            if type(one) is not _Tensor or not one.requires_grad or one.is_leaf:
                return False
            ref = made.get(id(one))
            if ref is not None and ref() is one:
                return False
        return bool(results)

    def _common(
        self, kind: Kind, inputs: list[int], flags: int, site: int, grad_mode: bool, result: torch.Tensor
    ) -> bool:
        """Adds the row of an operation that keeps the history, or never had one; False if there is more to say."""
        if result.requires_grad:
            if result.is_leaf and inputs:
                return False
            flags |= TRACKED_IN | TRACKED_OUT if inputs else FACTORY | TRACKED_OUT
            if self.after_backward:
                self.step()
        elif flags or any(value & 1 for value in inputs):
            return False
        elif not inputs:
            flags = FACTORY
        if grad_mode:
            flags |= GRAD_MODE
        trace = self.trace
        ref = Ref(result)
        ref.row = row = trace.rows.add(flags | kind.number << 12 | self.module << 24 | site << 40, inputs)
        ref.used = False
        trace.made[id(result)] = ref
        if row >= self.next_look:
            self.look(row)
        return True

    @uncounted
    def call(
        self, kind: Kind, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], frame: Any
    ) -> Any:
        """Runs the function and records it, as called from `frame`."""
        note: Any = None
        try:
            stub, site = self.trace.places.at(frame)
            if kind.role is _OP:
                note = self.before(kind, args, kwargs, site)
            else:
                note = self.happenings.before(kind, args, kwargs, site, frame)
        except Exception as error:
            self.failed(error)
            return function(*args, **kwargs)
        try:
            result = stub(function, args, kwargs)
        except BaseException as error:
            self.raised(kind, note, error)
            raise
        if note is not None:
            try:
                if kind.role is _OP:
                    self._after(kind, note, args, kwargs, result)
                else:
                    self.happenings.after(kind, note, args, result)
            except Exception as error:
                self.failed(error)
        return result

    def enter_checkpoint(self, change: int) -> None:
        self.checkpoint += change
        self._slow = self.trace.values or self.checkpoint > 0

    def _learn(self, func: Any) -> Kind:
        kind = kind_of(func)
        kind.number = self.number_of(kind.name) if kind.plain else 0
        try:
            if may_be_kept(func):
                self._kinds[func] = kind
        except Exception as error:
            self.failed(error)
        return kind

    def raised(self, kind: Kind, note: Any, error: BaseException) -> None:
        """Takes the frame of the stub, which repeats the user's line, out of the traceback."""
        try:
            if kind.role is not _OP:
                self.happenings.raised(kind, note, error)
            here = error.__traceback__
            if here is not None and here.tb_next is not None:
                error.__traceback__ = here.tb_next.tb_next
        except Exception as problem:
            self.failed(problem)

    # ---- what came out

    def _after(
        self, kind: Kind, note: tuple[Any, ...], args: Sequence[Any], kwargs: dict[str, Any], result: Any
    ) -> None:
        inputs, site, grad_mode, _, numbers = note
        cls = type(result)
        if cls is _Tensor and not kind.in_place and not kind.compares:
            ref = self.trace.made.get(id(result))
            if ref is None or ref() is not result:
                self.record(kind, inputs, site, grad_mode, (result,), numbers)
                if kind.alias:
                    self.happenings.alias(result, args[0])
                return
        with torch._C.DisableTorchFunctionSubclass():
            self._after_all(kind, note, args, kwargs, result)
        if kind.compares:
            self.happenings.compared(args, kwargs, result, site)

    def _after_all(
        self, kind: Kind, note: tuple[Any, ...], args: Sequence[Any], kwargs: dict[str, Any], result: Any
    ) -> None:
        inputs, site, grad_mode, version, numbers = note
        out = kwargs.get("out")
        if kind.in_place or out is not None or (version is not None and version != first(args, kwargs)._version):
            targets = list(tensors(first(args, kwargs) if out is None else out))
            for target in targets[: None if kind.name.startswith("_foreach") or out is not None else 1]:
                self.happenings.written(kind, target, inputs, site, grad_mode, numbers)
            return
        made = self.trace.made
        results = list(tensors(result))
        fresh = [one for one in results if (ref := made.get(id(one))) is None or ref() is not one]
        if fresh:
            tracked_too = len(fresh) < len(results) and any(one.requires_grad for one in results)
            self.record(kind, inputs, site, grad_mode, fresh, numbers, several=tracked_too)
