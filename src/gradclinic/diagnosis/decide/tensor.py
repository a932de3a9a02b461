"""Why one tensor has the gradient that it has: the graph decides whether it is reached, a trace only explains."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ...causes import CAUSES
from ..diagnosis import Diagnosis, Finding
from .facts import Facts, gather, named
from .untraced import candidates


def decide(tensor: torch.Tensor, losses: Sequence[torch.Tensor], known: bool | None = None) -> Diagnosis:
    """The diagnosis without a trace."""
    return plain_diagnosis(gather(tensor, losses, known))


def plain_diagnosis(facts: Facts) -> Diagnosis:
    """Facts and everything that fits them; a cause only where nothing else fits."""
    fits = candidates(facts)
    only = CAUSES[fits[0]] if len(fits) == 1 and facts.state == "none" else None
    return Diagnosis(
        state=facts.state,
        ok=facts.state == "present" and facts.loss != "no_graph",
        summary=summary(facts),
        cause=only,
        certainty="proved" if only else "open",
        candidates=tuple(CAUSES[cause] for cause in fits),
        findings=(*symptoms(facts), *([Finding(only, "root", "proved", summary(facts))] if only else [])),
        target=named(facts.tensor),
        torch_version=str(torch.__version__),
        reached=facts.reached if facts.losses else None,
    )


def symptoms(facts: Facts) -> tuple[Finding, ...]:
    """What is wrong with the loss itself, whatever the tensor: a fact, and never the root."""
    if facts.is_loss or (facts.state not in ("none", "zero") and facts.loss != "no_graph"):
        return ()
    if facts.loss == "no_graph":
        return (Finding(CAUSES["loss_has_no_graph"], "symptom", "proved", _count(facts) + " does not require grad."),)
    if facts.loss == "leaf" and not facts.reached and not any(_is_parameter(loss) for loss in facts.losses):
        text = _count(facts) + " is a leaf: no operation made it, and requires_grad was set on it."
        return (Finding(CAUSES["loss_patched"], "symptom", "proved", text),)
    return ()


def _is_parameter(loss: torch.Tensor) -> bool:
    return isinstance(loss, torch.nn.Parameter)


def _count(facts: Facts) -> str:
    return "The loss" if len(facts.losses) == 1 else f"Each of the {len(facts.losses)} losses"


def summary(facts: Facts) -> str:
    """One or two sentences, of facts only."""
    first = {
        "present": "There is a gradient.",
        "zero": "There is a gradient, and all of it is zero.",
        "nonfinite": "There is a gradient, and it holds nan or inf.",
    }.get(facts.state, "The gradient is None.")
    return " ".join([first, *_way(facts)])


def _way(facts: Facts) -> list[str]:
    tensor = facts.tensor
    if facts.state == "none" and not tensor.requires_grad:
        return [_unasked(tensor)]
    if facts.loss == "missing" or facts.is_loss:
        return []
    if facts.reached is None:
        return ["The graph is too large to tell whether the loss uses this of the several results of one operation."]
    if facts.state == "none":
        return [_none(facts)]
    if not facts.reached:
        return ["The graph of this loss does not lead to the tensor: its gradient came by another way."]
    if facts.state == "nonfinite" and facts.loss_is_finite:
        return ["The loss itself is finite."]
    if facts.state == "zero":
        return [MAY_BE_RIGHT]
    return []


MAY_BE_RIGHT = (
    "That may be right: so it is where a factor is zero in the forward pass (the first step of LoRA, a residual "
    "branch that starts at zero), where every unit is off, or where the loss is at its lowest."
)


def _unasked(tensor: torch.Tensor) -> str:
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return f"A tensor of type {str(tensor.dtype).removeprefix('torch.')} cannot carry one."
    if tensor.is_inference():
        return "The tensor was made in inference_mode and does not require grad."
    if isinstance(tensor, torch.nn.Parameter):
        return "The parameter does not require grad."
    return "The tensor does not require grad: nobody asked for its gradient, or it lies behind a cut."


_HIDDEN = "or inside a reentrant checkpoint, which the graph does not show"


def _none(facts: Facts) -> str:
    if facts.loss == "no_graph":
        return "Nothing in the loss requires grad, so no gradient can arrive."
    if not facts.reached:
        if facts.tensor.is_leaf:
            return f"The graph of the loss does not lead to it: cut, never used, {_HIDDEN}."
        return f"The graph of the loss does not lead to it: cut, made beside the way, {_HIDDEN}."
    if not facts.keeps_gradient:
        return "It is reached, but it is the result of an operation and keeps no gradient without retain_grad()."
    if facts.tensor.is_leaf:
        return "The graph of the loss reaches it: no gradient was delivered, or it is gone again."
    return "It is reached and set to keep its gradient: none came through since."
