"""Where a zero or a nan begins, from the gradients that `trace(values=True)` has kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from .facts import Facts, gradient
from .found import Found, proved
from .history import History, Step
from .places import location
from .trace import Trace
from .views import Op


def nonfinite(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The operation that was given a finite gradient and gave a nan or inf on."""
    if not trace.values or not facts.loss_is_finite:
        return None
    for op in _on_the_way(trace, facts, history):
        if _has(trace, op, facts, _finite) and any(_has(trace, one, facts, _broken) for one in op.inputs):
            text = f"The gradient that reached `{op.name}` was finite; what it passed on holds nan or inf."
            return proved("nonfinite_derivative", text, location(op.site), lost=((0, op.index),))
    return None


def flat(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The operation that was given a gradient and passed on only zeros."""
    if not trace.values:
        return None
    way = history.way(trace.states(facts.tensor))
    for op in _on_the_way(trace, facts, history):
        before = [one for one in op.inputs if one.index in way.steps]
        if _has(trace, op, facts, _some) and before and all(_has(trace, one, facts, _zeros) for one in before):
            text = f"A gradient reached `{op.name}`, and it passed on only zeros."
            return proved("zero_derivative", text, location(op.site), lost=((0, op.index),))
    return None


def partly_flat(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The operation that limits the tensor itself and passed on zeros where it was given a gradient."""
    states = {one.index for one in trace.states(facts.tensor)}
    users = [op for op in history.ops if any(one.index in states for one in op.inputs)]
    mine = gradient(facts.tensor)
    if not trace.values or not facts.some_zeros or len(users) != 1 or users[0].name not in _LIMITS or mine is None:
        return None

    def lost(given: torch.Tensor) -> bool:
        return given.shape == mine.shape and not bool((mine[given != 0] != 0).all())

    if not _has(trace, users[0], facts, lost):
        return None
    text = f"`{users[0].name}` was given a gradient for each of these elements and passed on zeros for some of them."
    return proved("zero_derivative", text, location(users[0].site))


_LIMITS = frozenset(
    {"clamp", "clip", "clamp_min", "clamp_max", "relu", "relu6", "hardtanh", "hardsigmoid", "threshold", "hardshrink"}
    | {"softshrink", "where", "maximum", "minimum"}
)


def _on_the_way(trace: Trace, facts: Facts, history: History) -> Iterator[Op]:
    """The operations between the tensor and the loss, in the order of the backward pass."""
    way = history.way(trace.states(facts.tensor))
    return (op for op in reversed(history.ops) if op.index in way.steps)


def _has(trace: Trace, step: Step, facts: Facts, test: Callable[[torch.Tensor], bool]) -> bool:
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


def _some(grad: torch.Tensor) -> bool:
    return bool(grad.any())


def _zeros(grad: torch.Tensor) -> bool:
    return not bool(grad.any())
