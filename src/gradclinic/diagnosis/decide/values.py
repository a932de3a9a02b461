"""Where a nan begins, or a part of a gradient becomes zero, from the gradients that `trace(values=True)` has kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from ..record.views import Op
from ..trace import Trace
from .facts import Facts, gradient
from .flat import REPLACING, elements_without_slope, has_hooks
from .found import Found, proved
from .history import History, Step
from .places import location

# A finite gradient stays finite in these, whatever the values are.
_SAFE = REPLACING | {
    "add",
    "sub",
    "radd",
    "rsub",
    "neg",
    "sum",
    "mean",
    "view",
    "reshape",
    "T",
    "t",
    "transpose",
    "clone",
}


def nonfinite(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The operation that was given a finite gradient and gave a nan or inf on."""
    if not trace.values or not facts.loss_is_finite:
        return None
    for op in _on_the_way(trace, facts, history):
        if not _has(trace, op, _finite):
            continue
        for one in op.inputs:
            if _has(trace, one, _broken) and _alone(trace, history, one, op):
                text = f"The gradient that reached `{op.name}` was finite; what it passed on holds nan or inf."
                return proved("nonfinite_derivative", text, location(op.site), lost=((0, op.index),))
    return None


def _alone(trace: Trace, history: History, one: Step, op: Op) -> bool:
    """Whether nothing but this operation can have made the gradient of its input what it is."""
    tensor = trace.tensor(one)
    if op.name in _SAFE or tensor is None or has_hooks(tensor):
        return False
    users = (user for user, _ in history.users.get(one.index, ()) if user.tracked_out and user != op)
    others = {user.index: user for user in users}.values()
    return all(user.name in _SAFE and _has(trace, user, _finite) for user in others)


def partly_flat(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The operation that limits the tensor itself and passed on zeros where it was given a gradient."""
    mine = gradient(facts.tensor)
    if not trace.values or not facts.some_zeros or mine is None or has_hooks(facts.tensor):
        return None
    states = {one.index for one in trace.states(facts.tensor)}
    users = [op for op in history.ops if any(one.index in states for one in op.inputs)]
    if len(users) != 1 or users[0].name not in REPLACING:
        return None
    after = trace.tensor(users[0])
    given = gradient(after) if after is not None else None
    if after is None or given is None or given.shape != mine.shape:
        return None
    flat = elements_without_slope(users[0], facts.tensor, after)
    with torch._C.DisableTorchFunction(), torch.no_grad():
        lost = (given != 0) & (mine == 0)
        if flat is None or not bool(lost.any()) or not bool(flat[lost].all()):
            return None
    text = f"`{users[0].name}` was given a gradient for each of these elements and passed on zeros for some of them."
    return proved("zero_derivative", text, location(users[0].site))


def _on_the_way(trace: Trace, facts: Facts, history: History) -> Iterator[Op]:
    """The operations between the tensor and the loss, in the order of the backward pass."""
    way = history.way(trace.states(facts.tensor))
    return (op for op in reversed(history.ops) if op.index in way.steps)


def _has(trace: Trace, step: Step, test: Callable[[torch.Tensor], bool]) -> bool:
    tensor = trace.tensor(step)
    grad = gradient(tensor) if tensor is not None else None
    if grad is None or grad.layout is not torch.strided:
        return False
    with torch._C.DisableTorchFunction(), torch.no_grad():
        return test(grad)


def _finite(grad: torch.Tensor) -> bool:
    return bool(torch.isfinite(grad).all())


def _broken(grad: torch.Tensor) -> bool:
    return not _finite(grad)
