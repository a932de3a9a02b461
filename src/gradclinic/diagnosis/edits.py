"""A gradient that is there and wrong: values changed behind autograd's back, a loss that broadcast its target."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Facts
from .found import Found, proved, root
from .history import History, Step
from .ledger import Event, Op
from .places import location
from .trace import Trace

# Operations whose derivative needs the values of their inputs, or of their result.
_NEED_INPUTS = frozenset(
    [
        "mul",
        "div",
        "pow",
        "matmul",
        "mm",
        "bmm",
        "linear",
        "sin",
        "cos",
        "log",
        "square",
        "prod",
        "bilinear",
        "addmm",
        "einsum",
    ]
)
_NEED_RESULT = frozenset(["exp", "sigmoid", "tanh", "sqrt", "softmax", "rsqrt", "reciprocal", "relu"])
_LOSSES = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
_POWERS = frozenset({"pow", "square", "abs"})


def edited(trace: Trace, facts: Facts, history: History) -> Found | None:
    """A value that the backward pass needed was changed through .data between its use and the pass."""
    way = history.way(trace.states(facts.tensor))
    if not way.arrives:
        return None
    passes = [event for event in trace.events("backward") if event.facts["raised"] is None]
    for event in trace.events("edited"):
        target = event.target() if event.target is not None else None
        if target is None or not event.facts["through"] or not any(one.index >= event.index for one in passes):
            continue
        if _needed(trace.states(target), event, history, way.steps):
            text = "This changed a value unseen by autograd, after an operation had saved it for the backward pass."
            return proved("edited_through_data", text, location(event.site))
    return None


def _needed(states: Sequence[Step], event: Event, history: History, steps: frozenset[int]) -> bool:
    for state in states:
        if isinstance(state, Op) and state.index in steps and state.name in _NEED_RESULT:
            return True
        for user, _ in history.users.get(state.index, ()):
            if user.index in steps and user.index < event.index and user.name in _NEED_INPUTS:
                return True
    return False


def broadcast(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The loss compared (N, 1) with (N,): each prediction with each target."""
    way = history.way(trace.states(facts.tensor))
    for op in history.ops:
        if op.index not in way.steps or len(op.inputs) != 2 or not (op.name in _LOSSES or _is_distance(op, history)):
            continue
        shapes = [tuple(tensor.shape) for one in op.inputs if (tensor := trace.tensor(one)) is not None]
        if len(shapes) == 2 and _grows(shapes[0], shapes[1]):
            text = f"`{op.name}` compared shape {shapes[0]} with shape {shapes[1]}: each with each."
            if op.name in _LOSSES:
                return proved("broadcast_target", text, location(op.site))
            return Found((root("broadcast_target", text, location(op.site)),), "likely")
    return None


def one_element(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The loss is one element of a result of the tensor's own shape, and the other elements got zeros."""
    if not facts.some_zeros or not facts.reached or len(history.starts) != 1:
        return None
    steps: list[Step] = list(history.starts.values())
    while steps and isinstance(steps[0], Op) and steps[0].name in ("sum", "mean", "squeeze"):
        steps = list(steps[0].inputs)
    made = steps[0] if steps else None
    if not isinstance(made, Op) or made.name not in ("__getitem__", "select") or not made.tracked_in:
        return None
    whole = trace.tensor(made.inputs[0])
    if whole is None or whole.shape != facts.tensor.shape:
        return None
    text = "The loss is one element of a larger result: what leads only to the others got zeros."
    return Found((root("materialized_zero", text, location(made.site)),), "likely")


def _is_distance(op: Op, history: History) -> bool:
    """Whether this is `prediction - target` in a mean of squares: one side learned, the other given."""
    if op.name not in ("sub", "rsub") or sum(op.inputs_tracked) != 1:
        return False
    powers = [user for user, _ in history.users.get(op.index, ()) if user.name in _POWERS]
    means = [user for power in powers for user, _ in history.users.get(power.index, ()) if user.name in ("mean", "sum")]
    return any(one.index in history.starts for one in means)


def _grows(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """(N, 1) against (N,), in either order, N > 1."""
    long, short = sorted((one, other), key=len, reverse=True)
    return len(long) == 2 and len(short) == 1 and long == (short[0], 1) and short[0] > 1
