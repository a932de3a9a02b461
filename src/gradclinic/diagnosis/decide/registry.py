"""What a module holds that its `parameters()` do not show, and what an optimizer holds beside the module."""

from __future__ import annotations

import gc
from collections import Counter
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
    """What an optimizer and a model have in common.

    missing: parameters of the model that learn and that the optimizer lacks. foreign: how many of its tensors the model
    does not have. replaced: whether the loss leaves those aside, and no module has them any more, or they have no
    gradient and match the missing ones shape by shape: as the layer does that another one replaced.
    """

    missing: tuple[str, ...]
    foreign: int
    replaced: bool


def held(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    losses: Sequence[torch.Tensor],
    extra: Sequence[torch.Tensor] = (),
) -> Held:
    """`extra`: tensors that hang on the model without being registered."""
    entries = [one for group in optimizer.param_groups for one in group["params"]]
    mine = {id(one) for one in entries}
    named = dict(model.named_parameters())
    missing = {name: one for name, one in named.items() if one.requires_grad and id(one) not in mine}
    theirs = {id(one) for one in (*named.values(), *extra)}
    foreign = list({id(one): one for one in entries if id(one) not in theirs}.values())
    return Held(tuple(missing), len(foreign), bool(missing) and _replaced(foreign, list(missing.values()), losses))


def _replaced(foreign: Sequence[torch.Tensor], missing: Sequence[torch.Tensor], losses: Sequence[torch.Tensor]) -> bool:
    used = reached(losses, foreign) if losses else [False] * len(foreign)
    aside = [one for one, hit in zip(foreign, used, strict=True) if hit is False]
    idle = Counter(one.shape for one in aside if one.grad is None)
    return idle == Counter(one.shape for one in missing) or any(is_left_over(one) for one in aside[:MOST_LOOKED_FOR])


MOST_LOOKED_FOR = 4  # entries of the optimizer for which everything alive is looked through


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
