"""The path of a tensor without a trace: what the graph shows, as far as it may be looked at."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import torch

from ..decide import nodes as graph_nodes
from ..graph import Facts, Node, operation

_MOST_WALKED = 40  # nodes of a graph that a picture may cost


def untraced(tensor: torch.Tensor, losses: Sequence[torch.Tensor], target: Node, hit: bool) -> Facts:
    """The loss, the operations of one way if it is short, the tensor."""
    loss = Node("loss", _made_by(losses), "loss", None, ())
    if not hit:
        gap = replace(target, kind="gap", missing="not reached; where it is lost is not known", open=True)
        return Facts((loss, gap))
    names = _walked(losses, tensor) if len(losses) == 1 else None
    if names is None:
        fold = Node("fold", "not looked at one by one", "the operations between", None, (2,))
        return Facts((replace(loss, to=(1,)), fold, target))
    made = [Node("operation", "", name, None, (i + 2,)) for i, name in enumerate(names[1:])]
    return Facts((replace(loss, what=names[0], to=(1,)), *made, target))


def _made_by(losses: Sequence[torch.Tensor]) -> str:
    if len(losses) > 1:
        return f"{len(losses)} tensors"
    if not losses[0].requires_grad:
        return "a tensor without a graph"
    node = graph_nodes.node_of(losses[0])
    return operation(node.name()) if node is not None else "leaf" if losses[0].is_leaf else "result"


def _walked(losses: Sequence[torch.Tensor], tensor: torch.Tensor) -> list[str] | None:
    """The operations of the shortest way from the loss to a leaf; None where that is too far to look."""
    start = graph_nodes.node_of(losses[0]) if tensor.is_leaf else None
    if start is None:
        return None
    came: dict[object, object] = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if getattr(node, "variable", None) is tensor:
            return _names_back(came, came[node])
        edges = graph_nodes.before(node) if len(came) < _MOST_WALKED else None
        if edges is None:
            return None
        for feeder, _ in edges:
            if feeder not in came:
                came[feeder] = node
                queue.append(feeder)
    return None


def _names_back(came: dict[object, object], node: object) -> list[str]:
    names: list[str] = []
    while node is not None:
        names.insert(0, operation(node.name()))  # type: ignore[attr-defined]
        node = came[node]
    return names
