"""The only place that holds nodes of the graph in Python, and counts them.

Since torch 2.13 the Python object of a node lives as long as the node itself, and a long chain of nodes that all have
one overflows the stack when the graph is freed. Small numbers are harmless, so at most LIMIT are ever alive.
"""

from __future__ import annotations

import gc
from collections import deque
from dataclasses import dataclass
from typing import Any

import torch

LIMIT = 500  # 2,000 overflow a stack of 512 KB
STEP = 200  # what a single question may cost


class _Count:
    """How many nodes were handed out and may still be alive."""

    def __init__(self) -> None:
        self.alive = 0
        self.kinds: set[type] = set()

    def take(self) -> bool:
        if self.alive >= LIMIT and self.kinds:
            self.alive = sum(type(thing) in self.kinds for thing in gc.get_objects())
        if self.alive >= LIMIT:
            return False
        self.alive += 1
        return True


_count = _Count()


def node_of(tensor: torch.Tensor) -> Any:
    """The node that made a non-leaf, or None where the tensor is a leaf or no more nodes may be made."""
    if tensor.is_leaf or not _count.take():
        return None
    with torch.inference_mode(False), torch.enable_grad():
        node = tensor.grad_fn
    _count.kinds.add(type(node))
    return node


def before(node: Any) -> list[tuple[Any, int]] | None:
    """The nodes that feed this one, each with the number of the output it stands for; None: no more may be made."""
    if not _count.take():
        return None
    edges = [(feeder, number) for feeder, number in node.next_functions if feeder is not None]
    _count.alive += max(len(edges) - 1, 0)
    _count.kinds.update(type(feeder) for feeder, _ in edges if feeder.name() != _LEAF)
    return edges


_LEAF = "torch::autograd::AccumulateGrad"


@dataclass(frozen=True)
class Feed:
    """What lies behind a tensor: the leaves found, and whether the search saw everything."""

    leaves: tuple[torch.Tensor, ...]
    complete: bool


def leaves_behind(tensor: torch.Tensor, most: int = 50) -> Feed:
    """The leaves that a non-leaf was computed from, nearest first, as far as `most` nodes tell."""
    start = node_of(tensor)
    if start is None:
        return Feed((), tensor.is_leaf)
    leaves: list[torch.Tensor] = []
    seen, queue = {start}, deque([start])
    while queue:
        node = queue.popleft()
        if node.name() == _LEAF:
            leaves.append(node.variable)
            continue
        edges = before(node) if len(seen) < most else None
        if edges is None:
            return Feed(tuple(leaves), False)
        fresh = [feeder for feeder, _ in edges if feeder not in seen]
        seen.update(fresh)
        queue.extend(dict.fromkeys(fresh))
    return Feed(tuple(leaves), True)


def outputs(node: Any) -> int:
    """How many results the operation of this node had, 1 where torch does not say."""
    try:
        return len(node._input_metadata)
    except (AttributeError, RuntimeError):
        return 1


def output_is_used(roots: list[torch.Tensor], node: Any, number: int) -> bool | None:
    """Whether a graph takes this output of the node, of which it is known to take one; None: too large to look."""
    starts = [(start, root.output_nr) for root in roots if (start := node_of(root)) is not None]
    if len(starts) < len([root for root in roots if not root.is_leaf]):
        return None
    if (node, number) in starts:
        return True
    seen = {start for start, _ in starts}
    queue = deque(seen)
    while queue:
        edges = before(queue.popleft()) if len(seen) < STEP else None
        if edges is None:
            return None
        if (node, number) in edges:
            return True
        fresh = dict.fromkeys(feeder for feeder, _ in edges if feeder not in seen)
        seen.update(fresh)
        queue.extend(fresh)
    return False


def outputs_used(roots: list[torch.Tensor], name: str) -> tuple[int, int] | None:
    """How many of the results of the only node of this name the graph takes, and how many it has; None: not known."""
    starts = [(start, root.output_nr) for root in roots if (start := node_of(root)) is not None]
    if len(starts) < len(roots):
        return None
    used: dict[Any, set[int]] = {}
    seen: set[Any] = set()
    queue = deque(starts)
    while queue:
        node, number = queue.popleft()
        if type(node).__name__ == name:
            used.setdefault(node, set()).add(number)
        if node in seen:
            continue
        seen.add(node)
        edges = before(node) if len(seen) < STEP else None
        if edges is None:
            return None
        queue.extend(edges)
    return next(((len(numbers), outputs(node)) for node, numbers in used.items()), None) if len(used) == 1 else None
