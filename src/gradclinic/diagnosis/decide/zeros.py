"""Zeros that stand for "not used": what the loss did not select, outputs of a Function that it left out."""

from __future__ import annotations

from typing import Any

import torch

from ..record.views import Op
from ..trace import Trace
from . import nodes
from .facts import Facts, gradient
from .found import Found, proved, root
from .history import History, Step
from .places import location

_PICKS = frozenset({"__getitem__", "select", "unbind"})
_TOTALS = frozenset({"sum", "mean", "squeeze"})


def stood_in(trace: Trace, facts: Facts, history: History) -> Found | None:
    """Why all of the gradient is a zero that stands for something which the loss does not use."""
    return _not_selected(trace, facts, history) or _left_out(trace, facts, history)


def _likely(text: str, op: Op) -> Found:
    return Found((root("materialized_zero", text, location(op.site)),), "likely", ("zero_derivative",))


def _not_selected(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The loss is one of several results that were joined, and the tensor leads only to others."""
    made = next(iter(history.starts.values()), None) if len(history.starts) == 1 else None
    if not isinstance(made, Op) or made.name not in _PICKS or not made.inputs:
        return None
    joined = made.inputs[0]
    chosen = _index(facts.losses[0])
    if not isinstance(joined, Op) or joined.name != "stack" or chosen is None:
        return None
    if not -len(joined.inputs) <= chosen < len(joined.inputs):
        return None
    way = history.way(trace.states(facts.tensor))
    if not way.arrives or joined.inputs[chosen].index in way.steps:
        return None
    text = f"The loss is number {chosen} of {len(joined.inputs)} results, and this tensor leads only to others."
    return proved("materialized_zero", text, location(made.site))


def _index(loss: torch.Tensor) -> int | None:
    """Which element along the first dimension a loss is, where the graph says so."""
    node: Any = nodes.node_of(loss)
    try:
        return int(node._saved_index) if node._saved_dim == 0 else None
    except (AttributeError, RuntimeError, TypeError):
        return None


def _left_out(trace: Trace, facts: Facts, history: History) -> Found | None:
    """Every way leads through a custom Function of which the loss uses only some results."""
    closed = history.way(trace.states(facts.tensor), frozenset({"apply"}))
    if closed.arrives:
        return None
    for op in history.ops:
        if op.name == "apply" and any(one.index in closed.steps for one in op.inputs):
            used = nodes.outputs_used(list(facts.losses), f"{op.detail}Backward")
            if used is not None and used[0] < used[1]:
                text = (
                    f"The loss uses {used[0]} of the {used[1]} results of `{op.detail}`; for the others its backward "
                    "is handed zeros."
                )
                return _likely(text, op)
    return None


def asked_with_zeros(trace: Trace, facts: Facts, history: History) -> Found | None:
    """`autograd.grad(materialize_grads=True)` was asked for a tensor that its outputs do not use."""
    for event in reversed(trace.events("autograd_grad")):
        named = any(ref() is facts.tensor for ref in event.facts["inputs"])
        if not named or not event.facts["materialize"] or event.facts["raised"] is not None:
            continue
        if not History(trace, event.facts["root_ops"]).way(trace.states(facts.tensor)).arrives:
            text = "autograd.grad was asked here to give zeros for what its outputs do not use, such as this tensor."
            return Found((root("materialized_zero", text, location(event.site)),), "likely", ("unused",))
    return None


def one_element(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The loss is one element of a result of the tensor's own shape, and the other elements got zeros."""
    if not facts.some_zeros or not facts.reached or len(history.starts) != 1:
        return None
    steps: list[Step] = list(history.starts.values())
    while steps and isinstance(steps[0], Op) and steps[0].name in _TOTALS:
        steps = list(steps[0].inputs)
    made = steps[0] if steps else None
    if not isinstance(made, Op) or made.name not in ("__getitem__", "select") or not made.tracked_in:
        return None
    whole = trace.tensor(made.inputs[0])
    grad = gradient(facts.tensor)
    if grad is None or int(torch.count_nonzero(grad)) > 1:
        return None
    if whole is None or whole.shape != facts.tensor.shape:
        return None
    return _likely("The loss is one element of a larger result: what leads only to the others got zeros.", made)
