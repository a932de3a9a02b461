"""Which causes fit what can be read off a tensor and a loss. Nothing here says which one it is."""

from __future__ import annotations

import torch

from .facts import Facts

# Cuts leave no node in the graph: after the fact they look alike.
CUTS = (
    "detached",
    "left_torch",
    "rewrapped",
    "grad_mode_off",
    "not_differentiable",
    "flag_too_late",
    "checkpoint_cut",
    "no_create_graph",
)
# Reasons why no loss that one can see has a graph.
NO_GRAPH = (*CUTS, "requires_grad_false", "frozen", "flag_on_module", "unused", "inference_tensor")
# Reasons why a leaf that the graph reaches has no gradient.
NOT_DELIVERED = ("no_backward", "grad_cleared", "functional_grad", "backward_returned_none")
VALUE = ("accumulated", "edited_through_data", "broadcast_target", "no_create_graph")
ZERO = ("zero_derivative", "materialized_zero")
UNMOVED = ("unregistered_parameter", "stale_optimizer")


def candidates(facts: Facts) -> tuple[str, ...]:
    """Every cause that fits, the commoner ones first, each once."""
    fits = {"present": _present, "zero": _zero, "nonfinite": _nonfinite}.get(facts.state, _none)(facts)
    return tuple(dict.fromkeys(fits))


def _present(facts: Facts) -> tuple[str, ...]:
    zeros = ZERO if facts.some_zeros else ()
    moves = UNMOVED if facts.tensor.is_leaf else ()
    away = ("modified_after_use",) if not facts.tensor.is_leaf and facts.may_be_edited else ()
    return (*VALUE, *zeros, *moves, *away, *(_unreached(facts) if facts.reached is False else ()))


def _zero(facts: Facts) -> tuple[str, ...]:
    rest = _unreached(facts) if facts.reached is not True else ()
    return (*ZERO, "grad_cleared", "accumulated", *VALUE, *rest)


def _nonfinite(facts: Facts) -> tuple[str, ...]:
    return ("nonfinite_derivative", "edited_through_data", "accumulated")


def _none(facts: Facts) -> tuple[str, ...]:
    if not facts.tensor.requires_grad:
        return _no_flag(facts.tensor)
    if facts.loss == "missing":
        return _without_loss(facts)
    if facts.reached is False:
        return _unreached(facts)
    delivered = _reached(facts)
    return delivered if facts.reached else (*delivered, *_unreached(facts))


def _no_flag(tensor: torch.Tensor) -> tuple[str, ...]:
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return ("integer_dtype",)
    if tensor.is_inference():
        return ("grad_mode_off", "inference_tensor", "requires_grad_false")
    if isinstance(tensor, torch.nn.Parameter):
        return ("frozen", "flag_on_module", "detached", "requires_grad_false")
    functional = ("functional_grad", "materialized_zero")  # torch.func takes plain tensors
    return ("requires_grad_false", *CUTS, "frozen", "modified_after_use", "flag_on_module", *functional)


def _without_loss(facts: Facts) -> tuple[str, ...]:
    return (*_reached(facts), *_unreached(facts), "loss_has_no_graph", "loss_patched")


def _unreached(facts: Facts) -> tuple[str, ...]:
    if facts.loss == "no_graph":
        away = () if facts.tensor.is_leaf else ("off_the_path", "modified_after_use")
        return (*NO_GRAPH, *away, "loss_has_no_graph")
    patched = ("loss_patched",) if facts.loss == "leaf" else ()
    if facts.tensor.is_leaf:
        return ("unused", *CUTS, "frozen", "flag_on_module", *patched, "stale_optimizer", "no_backward")
    edited = ("modified_after_use",) if facts.may_be_edited else ()
    kept = () if facts.keeps_gradient else ("not_a_leaf", "shadowed_leaf")
    return ("off_the_path", *edited, *kept, *CUTS, *patched, "no_backward")


def _reached(facts: Facts) -> tuple[str, ...]:
    if not facts.keeps_gradient:
        return ("not_a_leaf", "shadowed_leaf", "no_backward")
    if not facts.tensor.is_leaf:
        return ("retained_late", *NOT_DELIVERED)
    return NOT_DELIVERED
