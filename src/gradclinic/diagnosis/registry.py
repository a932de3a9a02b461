"""What a module holds that its `parameters()` do not show, and what an optimizer holds beside the module."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .nodes import leaves_behind
from .reach import reached

_DEPTH = 3  # lists in lists in lists
_LONG = 1_000  # entries of a container that are looked at
_STEPS = 4  # operations between a parameter and the attribute that hides it: `.to()`, `* 0.1`, `.t()`


@dataclass(frozen=True)
class Unregistered:
    """kind: a module in a plain container, a leaf that requires grad, or the result made of an own parameter."""

    name: str
    kind: str
    tensors: tuple[torch.Tensor, ...]


def unregistered(model: torch.nn.Module) -> list[Unregistered]:
    """Tensors that ask for gradients and hang on the model without being in `parameters()`, each once."""
    known = {id(one) for one in (*model.parameters(), *model.buffers(), *model.modules())}
    found: list[Unregistered] = []
    for path, module in model.named_modules():
        for attribute, value in vars(module).items():
            if attribute in _OWN or attribute.startswith("__"):
                continue
            name = f"{path}.{attribute}" if path else attribute
            for where, thing in _things(name, value, _DEPTH):
                if id(thing) not in known and (one := _judge(where, thing, known)):
                    known.add(id(thing))
                    found.append(one)
    return found


_OWN = frozenset(vars(torch.nn.Module()))


def _things(name: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Modules and tensors in plain lists, tuples and dicts; nothing of other classes is looked into."""
    if isinstance(value, (torch.Tensor, torch.nn.Module)):
        yield name, value
    elif depth and type(value) in (list, tuple):
        for index, one in enumerate(value[:_LONG]):
            yield from _things(f"{name}[{index}]", one, depth - 1)
    elif depth and type(value) is dict:
        for key, one in list(value.items())[:_LONG]:
            yield from _things(f"{name}[{key!r}]", one, depth - 1)


def _judge(name: str, thing: Any, known: set[int]) -> Unregistered | None:
    if isinstance(thing, torch.nn.Module):
        own = tuple(one for one in thing.parameters() if one.requires_grad and id(one) not in known)
        return Unregistered(name, "module", own) if own else None
    if not thing.requires_grad:
        return None
    if thing.is_leaf:
        return Unregistered(name, "leaf", (thing,))
    behind = leaves_behind(thing, _STEPS)
    hidden = [leaf for leaf in behind.leaves if isinstance(leaf, torch.nn.Parameter)]
    if behind.complete and len(behind.leaves) == 1 and hidden and id(hidden[0]) not in known:
        return Unregistered(name, "result", (thing,))
    return None


@dataclass(frozen=True)
class Held:
    """Parameters of the model that the optimizer lacks, and how many of its tensors the model does not have.

    alike: how many of those have the shape of a missing one, as a parameter has that another one replaced.
    """

    missing: tuple[str, ...]
    foreign: int
    shared: int
    alike: int


def held(model: torch.nn.Module, optimizer: torch.optim.Optimizer, extra: tuple[torch.Tensor, ...] = ()) -> Held:
    mine = {id(one) for group in optimizer.param_groups for one in group["params"]}
    named = {id(one): name for name, one in model.named_parameters()}
    wanted = {id(one) for one in model.parameters() if one.requires_grad}
    missing = tuple(name for key, name in named.items() if key in wanted and key not in mine)
    theirs = {*named, *(id(one) for one in extra)}
    parameters = dict(model.named_parameters())
    shapes = {parameters[name].shape for name in missing}
    foreign = [one for group in optimizer.param_groups for one in group["params"] if id(one) not in theirs]
    return Held(missing, len(foreign), len(mine & set(named)), sum(one.shape in shapes for one in foreign))


def matters(one: Unregistered, losses: Sequence[torch.Tensor], optimizer: torch.optim.Optimizer | None) -> bool:
    """Whether it is missed: the loss uses it, as far as one is given, and the optimizer does not hold it."""
    held_ids = {id(t) for group in optimizer.param_groups for t in group["params"]} if optimizer is not None else set()
    if one.tensors and all(id(tensor) in held_ids for tensor in one.tensors):
        return False
    return not losses or one.kind == "result" or any(hit is not False for hit in reached(losses, one.tensors))


def is_left_over(parameter: torch.Tensor) -> bool:
    """Whether no living module has this parameter: it was replaced. Looks through everything that refers to it."""
    if not isinstance(parameter, torch.nn.Parameter):
        return False
    holders = [one for one in gc.get_referrers(parameter) if type(one) is dict]
    return not any(_is_of_a_module(one) for one in holders)


def _is_of_a_module(holder: dict[Any, Any]) -> bool:
    """Whether a dictionary is the `_parameters` of a module."""
    return any(
        (isinstance(one, torch.nn.Module) and one._parameters is holder)
        or (type(one) is dict and one.get("_parameters") is holder)
        for one in gc.get_referrers(holder)
    )
