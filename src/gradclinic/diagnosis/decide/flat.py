"""Where a gradient became all zero: a walk back from the loss, which stops where nothing can have passed.

Only a value can prove it: an element that a limit has replaced has no slope. Where a factor is zero, or a hook stands,
the answer tells so in words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from ..record.views import Op
from ..trace import Trace
from .facts import Facts, gradient
from .found import Found, root
from .history import History, Step
from .places import location

# What they give is either the input itself or something without a slope.
REPLACING = frozenset(
    {"clamp", "clip", "clamp_min", "clamp_max", "relu", "relu6", "hardtanh", "threshold", "where", "maximum", "minimum"}
    | {"masked_fill", "hardshrink"}
)
_ZERO_WHERE_OFF = frozenset({"relu", "relu_", "softshrink", "hardshrink"})
_PRODUCTS = frozenset({"mul", "rmul", "multiply", "matmul", "mm", "bmm", "mv", "dot", "einsum", "__rmul__"})
_WEIGHT = {"layer_norm": 1, "group_norm": 1, "batch_norm": -2, "linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1}
_OF_ZERO_ZERO = frozenset(
    {
        "T",
        "mT",
        "t",
        "transpose",
        "permute",
        "view",
        "reshape",
        "expand",
        "unsqueeze",
        "squeeze",
        "flatten",
        "contiguous",
    }
    | {"clone", "to", "float", "half", "neg", "tanh", "__getitem__"}
)


@dataclass
class _Stops:
    """What the walk met. plateaus: without a slope, by their values. factors: times zero, and what is zero there.
    silent: given a gradient, and passed on zeros. hooked: what a hook may have zeroed. through: it came to the end."""

    plateaus: list[Op] = field(default_factory=list)
    factors: list[tuple[Op, torch.Tensor]] = field(default_factory=list)
    silent: list[Op] = field(default_factory=list)
    hooked: list[Op] = field(default_factory=list)
    through: bool = False


def stopped(trace: Trace, facts: Facts, history: History) -> Found | None:
    """Why only zeros came to the tensor, of which all ways to the loss are recorded."""
    way = history.way(trace.states(facts.tensor))
    if not way.arrives or way.cuts:
        return None
    stops = _walk(trace, facts, history, way.steps)
    if has_hooks(facts.tensor):
        return Found((), "open", said="A hook is registered on this tensor, and may have made its gradient zero.")
    if stops.through:
        return None
    if stops.plateaus and not (stops.factors or stops.silent or stops.hooked):
        first = stops.plateaus[0]
        text = f"A gradient reached `{first.name}`, and it passed on only zeros."
        lost = tuple((0, op.index) for op in stops.plateaus)
        places = dict.fromkeys(location(op.site) for op in stops.plateaus)
        return Found((root("zero_derivative", text, *places, lost=lost),), "proved")
    if stops.factors and not (stops.plateaus or stops.silent or stops.hooked):
        return _times_zero(stops.factors)
    told = [
        f"A hook is registered on the result of {_at(op)}, and may have made its gradient zero." for op in stops.hooked
    ]
    told += [f"{_at(op)} was given a gradient and passed on only zeros." for op in stops.silent]
    return Found((), "open", said=" ".join(dict.fromkeys(told))) if told else None


def _times_zero(factors: list[tuple[Op, torch.Tensor]]) -> Found:
    """Times a parameter that learns, it is so by design; times a constant, nobody knows."""
    places = " and ".join(dict.fromkeys(_at(op) for op, _ in factors))
    text = f"Every way to the loss is multiplied by zero, at {places}: all of the other factor is zero there."
    learns = all(one.requires_grad and one.is_leaf and _some(gradient(one)) for _, one in factors)
    text += (
        " That factor gets a gradient of its own, so the next step takes it away from zero: this is right."
        if learns
        else " As long as that factor is zero, a gradient of zero is right."
    )
    return Found((), "open", said=text, harmless=learns)


def _walk(trace: Trace, facts: Facts, history: History, steps: frozenset[int]) -> _Stops:
    found = _Stops()
    ends = {one.index for one in trace.states(facts.tensor)}
    reached = set(history.starts)
    found.through = not ends.isdisjoint(reached)
    for op in reversed(history.ops):
        if op.index not in reached or op.index not in steps or op.index in ends:
            continue
        given = _gradient(trace, op)
        if given is not None and not _some(given):
            tensor = trace.tensor(op)
            if tensor is not None and has_hooks(tensor):
                found.hooked.append(op)
            else:
                found.through = True  # what zeroed it was not seen: several gradients may add up to zero
            continue
        for one, tracked in zip(op.inputs, op.inputs_tracked, strict=True):
            if not tracked or not (one.index in steps or one.index in ends):
                continue
            if (factor := _zero_factor(trace, op, one)) is not None:
                found.factors.append((op, factor))
            elif trace.values and _is_flat(trace, op, one, given):
                found.plateaus.append(op)
            elif one.index not in ends and given is not None and _passed_zeros(trace, history, one):
                found.silent.append(op)
            else:
                reached.add(one.index)
                found.through = found.through or one.index in ends
    return found


def _passed_zeros(trace: Trace, history: History, one: Step) -> bool:
    """Whether the gradient of an input is zero, and no other operation and no hook has had a part in that."""
    tensor, grad = trace.tensor(one), _gradient(trace, one)
    alone = len({user.index for user, _ in history.users.get(one.index, ()) if user.tracked_out}) == 1
    return tensor is not None and grad is not None and alone and not has_hooks(tensor) and not _some(grad)


def has_hooks(tensor: torch.Tensor) -> bool:
    """Whether somebody's hook may change its gradient; torch keeps them in attributes that are not documented."""
    names = ("_backward_hooks", "_post_accumulate_grad_hooks")
    with torch._C.DisableTorchFunction():
        return any(bool(getattr(tensor, name, None)) for name in names)


def _is_flat(trace: Trace, op: Op, one: Step, given: torch.Tensor | None) -> bool:
    """Whether no element that was given a gradient depends on the input, by the values that are there."""
    after, before = _value(trace, op), _value(trace, one)
    if after is None or (given is not None and given.shape != after.shape):
        return False
    flat = elements_without_slope(op, before, after)
    if flat is None:
        return False
    with torch._C.DisableTorchFunction(), torch.no_grad():
        return bool((flat if given is None else flat[given != 0]).all())


def elements_without_slope(op: Op, before: torch.Tensor | None, after: torch.Tensor) -> torch.Tensor | None:
    """Of the elements of a result, which do not depend on this input; None where the values do not tell."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        flat = after == 0 if op.name in _ZERO_WHERE_OFF else None
        if op.name in REPLACING and before is not None and before.shape == after.shape:
            replaced = after != before
            flat = replaced if flat is None else flat | replaced
        return flat


def _zero_factor(trace: Trace, op: Op, one: Step) -> torch.Tensor | None:
    """What this input was multiplied by, if all of that is zero."""
    if op.name in _PRODUCTS:
        others = [other for other in op.inputs if other != one]
        return next((zero for other in others if (zero := _zero(trace, other)) is not None), None)
    at = _WEIGHT.get(op.name)
    if at is None or len(op.inputs) <= abs(at) or op.inputs[0] != one or op.inputs[at] == one:
        return None
    return _zero(trace, op.inputs[at])


def _zero(trace: Trace, step: Step) -> torch.Tensor | None:
    """The tensor that makes this value zero: it, or what it is a view of."""
    while (value := _value(trace, step)) is None or not value.is_leaf:
        if not isinstance(step, Op) or step.name not in _OF_ZERO_ZERO or len(step.inputs) != 1:
            break
        step = step.inputs[0]
    return value if value is not None and value.numel() > 0 and not _some(value) else None


def _value(trace: Trace, step: Step) -> torch.Tensor | None:
    """The tensor that was in this state, unless it was changed since."""
    tensor = trace.tensor(step)
    if tensor is None or tensor.layout is not torch.strided or tensor.is_meta:
        return None
    return tensor if trace.maker(tensor) == step else None


def _gradient(trace: Trace, step: Step) -> torch.Tensor | None:
    tensor = trace.tensor(step) if trace.values else None
    grad = gradient(tensor) if tensor is not None else None
    return grad if grad is not None and grad.layout is torch.strided else None


def _some(tensor: torch.Tensor | None) -> bool:
    with torch._C.DisableTorchFunction(), torch.no_grad():
        return tensor is not None and bool(tensor.any())


def _at(op: Op) -> str:
    place = location(op.site)
    return f"`{op.name}`" if place is None else f"`{op.name}` ({place.short})"
