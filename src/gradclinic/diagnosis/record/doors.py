"""The few ways into PyTorch that a function mode does not see: patched while any trace is on, and put back after.

Every patch looks for the recorder of its own thread and steps aside when there is none.
"""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.optim import optimizer as optimizers

from . import rows as columns
from .names import Kind, Role
from .recorder import Recorder
from .site import uncounted
from .writer import tensors

_local = threading.local()
_lock = threading.Lock()
_open = 0
_undo: list[Callable[[], None]] = []

_PARAMETER = Kind("Parameter", Role.OP)
_FROM_NUMPY = Kind("from_numpy", Role.OP)
_FROM_DLPACK = Kind("from_dlpack", Role.OP)
_BACKWARD = Kind("backward", Role.BACKWARD)


def recorder() -> Recorder | None:
    """The recorder of this thread, if it is on."""
    return getattr(_local, "recorder", None)


def set_recorder(active: Recorder | None) -> None:
    _local.recorder = active


def open_doors() -> None:
    global _open
    with _lock:
        _open += 1
        if _open == 1:
            _patch()


def close_doors() -> None:
    global _open
    with _lock:
        _open -= 1
        if _open == 0:
            while _undo:
                _undo.pop()()


def forget_doors() -> None:
    """In a child made by fork, where the threads that held the lock or a trace are gone."""
    global _lock, _open
    _lock = threading.Lock()
    _open = 0
    while _undo:
        _undo.pop()()


def _patch() -> None:
    _replace(torch.nn.Parameter, "__new__", staticmethod(_recorded(torch.nn.Parameter.__new__, _PARAMETER, 1)))
    _replace(torch, "from_numpy", _recorded(torch.from_numpy, _FROM_NUMPY))
    for owner in (torch, torch.utils.dlpack):
        _replace(owner, "from_dlpack", _recorded(owner.from_dlpack, _FROM_DLPACK))
    _replace(torch.autograd, "backward", _recorded(torch.autograd.backward, _BACKWARD))
    _replace(torch.autograd.Function, "apply", classmethod(_applied(vars(torch.autograd.Function)["apply"].__func__)))
    _replace(torch.nn.Module, "__call__", _called(torch.nn.Module.__call__))
    _replace(torch, "compile", _compiling(torch.compile))
    for handle in (
        optimizers.register_optimizer_step_pre_hook(_before_step),
        optimizers.register_optimizer_step_post_hook(_after_step),
    ):
        _undo.append(handle.remove)


def _replace(owner: Any, name: str, new: Any) -> None:
    plain = vars(owner)[name]
    setattr(owner, name, new)
    placed = vars(owner)[name]

    def put_back() -> None:
        if vars(owner).get(name) is placed:  # else somebody has wrapped it since, and calls it still: it steps aside
            setattr(owner, name, plain)

    _undo.append(put_back)


def _recorded(plain: Callable[..., Any], kind: Kind, skip: int = 0) -> Callable[..., Any]:
    """The function, recorded as one operation; the first `skip` arguments are classes."""

    def door(*args: Any, **kwargs: Any) -> Any:
        active = recorder()
        if active is None or active.off or active.silent or active.happenings.in_backward:
            return plain(*args, **kwargs)

        def run(*rest: Any, **named: Any) -> Any:
            active.silent += 1
            try:
                return plain(*args[:skip], *rest, **named)
            finally:
                active.silent -= 1

        return active.call(kind, run, args[skip:], kwargs, sys._getframe(1))

    door.__name__, door.__doc__ = kind.name, plain.__doc__
    return door


def _compiling(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def compile(*args: Any, **kwargs: Any) -> Any:
        made = plain(*args, **kwargs)
        active = recorder()
        if active is not None and not active.off:
            active.compiled()
        return made

    return compile


# ---- autograd.Function


def _applied(plain: Callable[..., Any]) -> Callable[..., Any]:
    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        active = recorder()
        if active is None or active.off or active.silent or active.happenings.in_backward:
            return plain(cls, *args, **kwargs)
        checkpoint = cls.__name__ == "CheckpointFunction" and cls.__module__ == "torch.utils.checkpoint"
        kind = Kind("checkpoint" if checkpoint else f"apply:{cls.__name__}", Role.OP)
        frame = sys._getframe(1)
        try:
            run, site = active.trace.places.at(frame)
            note = active.before(kind, args, kwargs, site)
            begin = active.trace.rows.end
        except Exception as error:
            active.failed(error)
            return plain(cls, *args, **kwargs)
        active.enter_checkpoint(checkpoint)
        try:
            result = run(plain, (cls, *args), kwargs)
        finally:
            active.enter_checkpoint(-checkpoint)
            frame = None  # type: ignore[assignment]
        try:
            _record_function(active, kind, note, begin, checkpoint, result, args)
        except Exception as error:
            active.failed(error)
        return result

    return apply


def _record_function(
    active: Recorder, kind: Kind, note: Any, begin: int, checkpoint: bool, result: Any, args: Any
) -> None:
    """One row for the whole function. What ran inside comes after its arguments among the inputs."""
    inputs, site, grad_mode, _, numbers = note
    made = list(tensors(result))
    rows = active.trace.rows
    given = {id(one) for one in tensors(args)}
    inside = {ref.row for one in made if (ref := active.trace.made.get(id(one))) is not None and ref() is one}
    tracked = any(rows.get(row)[0] & columns.TRACKED_IN for row in range(begin, rows.end)) if checkpoint else False
    inputs = [*inputs, *(row << 1 | tracked for row in sorted(inside) if row >= begin)]
    for one in made:
        if id(one) in given:
            active.happenings.written(kind, one, inputs, site, grad_mode, numbers)
    fresh = [one for one in made if id(one) not in given]
    if fresh:
        active.record(kind, inputs, site, grad_mode, fresh, numbers)


# ---- the running module


def _called(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`Module.__call__`, told to the recorder. Global hooks would be slower, and change how a module runs."""

    def __call__(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        active = recorder()
        if active is None or active.off:
            return plain(self, *args, **kwargs)
        outer = active.module
        try:
            active.enter_module(self, sys._getframe(1))
            return plain(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next  # without this frame
            raise
        finally:
            active.module = outer

    return functools.wraps(plain)(uncounted(__call__))


# ---- Optimizer.step: not recorded, but for its closure


def _before_step(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> Any:
    active = recorder()
    if active is None:
        return None
    try:
        site = active.trace.places.index(sys._getframe(1))
        active.happenings.stepping(optimizer, site)
        if _closure(args, kwargs) is None:
            active.happenings.tell("step", optimizer, site)
        active.pause(sys._getframe(1))
        return _with_closure(active, args, kwargs)
    except Exception as error:
        active.failed(error)
        return None


def _after_step(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
    active = recorder()
    if active is not None:
        active.resume()
        if _closure(args, kwargs) is not None:  # it makes the gradients, so they are there only now
            active.happenings.tell("step", optimizer, active.trace.places.index(sys._getframe(1)))


def _closure(args: Any, kwargs: Any) -> Any:
    return args[1] if len(args) > 1 else kwargs.get("closure")


def _with_closure(active: Recorder, args: Any, kwargs: Any) -> Any:
    """The arguments of `step` (the optimizer is the first) with a closure that is recorded; None if it has none."""
    closure = _closure(args, kwargs)
    if not callable(closure):
        return None
    frame = weakref.ref(active)

    def recorded(*rest: Any, **named: Any) -> Any:
        still = frame()
        if still is None or not still.resume():
            return closure(*rest, **named)
        result = closure(*rest, **named)  # if it raises, step is over and recording goes on
        still.pause(sys._getframe(1))
        return result

    return ((args[0], recorded, *args[2:]), kwargs) if len(args) > 1 else (args, {**kwargs, "closure": recorded})
