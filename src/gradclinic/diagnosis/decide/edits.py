"""A gradient that is there and wrong: values changed behind autograd's back, a loss that broadcast its target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..record.views import Event, Op
from ..trace import Trace
from .facts import Facts
from .found import Found, proved, root
from .history import History, Step
from .places import location

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
_MEANS = frozenset({"mean", "sum"})
_SCALING = frozenset({"mul", "div", "truediv", "add", "radd", "rmul", "neg"})


def edited(trace: Trace, facts: Facts, history: History) -> Found | None:
    """A value that the backward pass needed was changed through .data between its use and the pass."""
    way = history.way(trace.states(facts.tensor))
    if not way.arrives:
        return None
    passes = [event for event in trace.events("backward") if event.facts["raised"] is None]
    for event in trace.events("edited"):
        target = event.target() if event.target is not None else None
        later = [history.of_pass(one).steps for one in passes if one.index >= event.index]
        if target is None or not event.facts["through"] or not later:
            continue
        if _needed(trace.states(target), event, history, way.steps, later):
            text = "This changed a value unseen by autograd, after an operation had saved it for the backward pass."
            return proved("edited_through_data", text, location(event.site))
    return None


def _needed(
    states: Sequence[Step],
    event: Event,
    history: History,
    steps: frozenset[int],
    later: Sequence[Mapping[int, Step]],
) -> bool:
    """Whether a pass after the change went through an operation that had saved the value before it."""
    for state in states:
        passed = any(state.index in one for one in later)
        if isinstance(state, Op) and state.index in steps and state.name in _NEED_RESULT and passed:
            return True
        for user, _ in history.users.get(state.index, ()):
            before = user.index in steps and user.index < event.index and any(user.index in one for one in later)
            if before and user.name in _NEED_INPUTS and _saves(user, state):
                return True
    return False


def _saves(user: Op, state: Step) -> bool:
    """Whether the derivative needs this input: of a product, for the other one; of a quotient, the lower."""
    if len(user.inputs) < 2 or (user.name == "div" and user.inputs[1] == state):
        return True
    mine = [tracked for one, tracked in zip(user.inputs, user.inputs_tracked, strict=True) if one == state]
    others = [tracked for one, tracked in zip(user.inputs, user.inputs_tracked, strict=True) if one != state]
    return any(others) or len(mine) > 1


def broadcast(trace: Trace, facts: Facts, history: History) -> Found | None:
    """The loss compared (N, 1) with (N,): each prediction with each target."""
    way = history.way(trace.states(facts.tensor))
    for event in trace.events("broadcast"):
        op = event.facts["op"]
        if not isinstance(op, Op) or op.index not in way.steps or op not in history:
            continue
        first, second = event.facts["shapes"]
        text = f"`{op.name}` compared shape {first} with shape {second}: each with each."
        if op.name in _LOSSES and _ends(history, op):
            return proved("broadcast_target", text, location(op.site))
        if _is_distance(op, history):
            return Found((root("broadcast_target", text, location(op.site)),), "likely")
    return None


def _is_distance(op: Op, history: History) -> bool:
    """Whether this is `prediction - target` in a mean of squares: one side learned, the other given."""
    if sum(op.inputs_tracked) != 1:
        return False
    powers = [user for user, _ in history.users.get(op.index, ()) if user.name in _POWERS or _is_square(user)]
    means = [user for power in powers for user, _ in history.users.get(power.index, ()) if user.name in _MEANS]
    return any(_ends(history, one) for one in means)


def _is_square(op: Op) -> bool:
    return op.name == "mul" and len(op.inputs) == 2 and op.inputs[0] == op.inputs[1]


def _ends(history: History, step: Op) -> bool:
    """Whether a mean is the loss, or only scaled and added to others on its way to it."""
    users = [user for user, _ in history.users.get(step.index, ())]
    return step.index in history.starts or any(user.name in _SCALING and _ends(history, user) for user in users)
