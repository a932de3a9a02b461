"""What `diagnose` was handed: which of it is the target, which the loss, and what to write where it is neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..trace import Trace
from .reach import reached

Losses = tuple[torch.Tensor, ...]
SWAPPED = "The two arguments were swapped: diagnose(target, loss) takes the loss second."


class WrongArgument(Exception):
    """An argument of a kind that diagnose does not take; the message tells what to write."""


def in_order(target: Any, loss: Any, trace: Trace | None) -> tuple[torch.Tensor | torch.nn.Module, Losses, bool]:
    """The target, the losses, and whether they came the other way round: told by their kinds, else by reach."""
    if isinstance(loss, torch.nn.Module):
        if isinstance(target, torch.nn.Module):
            raise WrongArgument("diagnose() was handed two modules: its second argument is the loss, a tensor")
        return loss, _losses(target), True
    if _is_several(target) and isinstance(loss, torch.Tensor) and _are_swapped(_losses(target), loss, trace):
        return loss, _losses(target), True
    if not isinstance(target, (torch.Tensor, torch.nn.Module)):
        raise WrongArgument(
            f"diagnose() takes a tensor or a module as its target, not {_kind(target)}{_instead(target)}"
        )
    losses = _losses(loss)
    if isinstance(target, torch.Tensor) and len(losses) == 1 and _are_swapped((target,), losses[0], trace):
        return losses[0], (target,), True
    return target, losses, False


def checked(optimizer: Any) -> torch.optim.Optimizer | None:
    """Also wrappers of an optimizer, if they show its `param_groups`."""
    if optimizer is None or isinstance(getattr(optimizer, "param_groups", None), list):
        return optimizer  # type: ignore[no-any-return]
    more = ": ask once for each of them" if isinstance(optimizer, (list, tuple, dict)) else ""
    more = ": hand over its .optimizer" if hasattr(optimizer, "optimizer") else more
    raise WrongArgument(f"diagnose() takes one optimizer, not {_kind(optimizer)}{more}")


def _losses(loss: Any) -> Losses:
    if loss is None:
        return ()
    several = (loss,) if isinstance(loss, torch.Tensor) else tuple(loss) if _is_several(loss) else None
    if several is None:
        raise WrongArgument(f"diagnose() takes a tensor, or several, as the loss, not {_kind(loss)}{_why(loss)}")
    if not several:
        raise WrongArgument("diagnose() was handed an empty list of losses; leave it out to take the last one traced")
    for one in several:
        if not isinstance(one, torch.Tensor):
            raise WrongArgument(f"diagnose() takes tensors as losses; one of these is {_kind(one)}{_why(one)}")
    return several


def _is_several(thing: Any) -> bool:
    return isinstance(thing, Sequence) and not isinstance(thing, (str, bytes))


def _kind(thing: Any) -> str:
    name = type(thing).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _why(loss: Any) -> str:
    if isinstance(loss, dict):
        return ": name the entry that backward() is called on"
    if isinstance(loss, (bool, int, float, complex)) or type(loss).__module__.partition(".")[0] == "numpy":
        return ": such a value has left PyTorch; hand over the tensor that backward() is called on"
    return ": hand over the tensor that backward() is called on"


def _instead(target: Any) -> str:
    if _is_several(target) or hasattr(target, "__next__") or isinstance(target, dict):
        return ": ask for each of them, or for the module that holds them"
    if isinstance(target, str):
        return ": hand over the parameter itself, such as dict(model.named_parameters())[name]"
    return ""


def _are_swapped(target: Losses, loss: torch.Tensor, trace: Trace | None) -> bool:
    """Whether the graph of the target leads to the loss and not the other way round; or only the target was a root."""
    if any(one is loss for one in target) or all(one.is_leaf for one in target):
        return False
    roots = [root for one in trace.passes() for root in one] if trace is not None else []
    if all(any(one is root for root in roots) for one in target):
        return not any(loss is root for root in roots) and not any(reached([loss], target))
    return loss.requires_grad and not any(reached([loss], target)) and any(reached(target, [loss]))
