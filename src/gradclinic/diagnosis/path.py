"""The path that a diagnosis shows: from the loss back to the tensor, with the place where it breaks.

With a trace it is made from the recorded operations; without one, of the graph, as far as that may be looked at.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from . import nodes as graph_nodes
from . import rows as columns
from .diagnosis import Diagnosis
from .facts import named
from .graph import Facts, Node, operation
from .ledger import Op
from .places import location
from .reach import reached
from .rows import CUTS
from .trace import Trace
from .way import Numbers, Way, between

MOST = 30
_MOST_WALKED = 40  # nodes of an untraced graph that a picture may cost
_SAID = {
    "detached": "the history ends here",
    "left_torch": "the value left PyTorch here",
    "rewrapped": "a new tensor begins here",
    "grad_mode_off": "gradients were switched off",
    "not_differentiable": "no derivative here",
    "no_create_graph": "taken without create_graph",
    "checkpoint_cut": "the checkpoint gave no history",
}
_BACK = "the value left PyTorch and came back"
_AS_WELL = "would end the history as well"
_ENDING = ("detach", "detach_", "data", ".data")  # though what came in had none
_NAMES = {"data": ".data", "grad": ".grad", "__getitem__": "[ ]"}


def with_path(
    answer: Diagnosis, tensor: torch.Tensor, losses: Sequence[torch.Tensor], trace: Trace | None, name: str = ""
) -> Diagnosis:
    """The diagnosis of a tensor with its path; as it is where there is no loss to lead a path from."""
    if not losses or any(loss is tensor for loss in losses):
        return answer
    target = Node("leaf" if tensor.is_leaf else "operation", name or named(tensor), "", answer.state != "none", ())
    found = _traced(trace, tensor, losses, answer, target) if trace is not None else None
    return replace(answer, path=found or _untraced(tensor, losses, answer, target))


def _traced(
    trace: Trace, tensor: torch.Tensor, losses: Sequence[torch.Tensor], answer: Diagnosis, target: Node
) -> Facts | None:
    first = [step.index for step in trace.states(tensor)]
    last = [made.index for loss in losses if (made := trace.maker(loss)) is not None]
    if not first or not last:
        return None
    bridges = _bridges(trace, answer)
    stops = [number for number, name in enumerate(trace.names) if name in _ENDING]
    way = between(trace.rows, first, last, bridges, MOST, stops)
    if not way.groups:
        made = trace.view(last[0])
        loss = _named(trace, (made.index,)) if isinstance(made, Op) else Node("loss", "leaf", "loss", None, ())
        return _apart(_as_loss(loss), target)
    return _drawn(trace, way, set(first), set(last), bridges, target)


def _bridges(trace: Trace, answer: Diagnosis) -> dict[int, int]:
    """Where a number that left PyTorch came back, as the findings say: the later row, the earlier row."""
    told = [(one.location, one.also[0]) for one in answer.findings if one.cause.id == "left_torch" and one.also]
    return {
        again.op.index: event.facts["op"].index
        for left, back in told
        for event in trace.events("left_torch")
        if location(event.site) == left
        for again in trace.reentries(event)
        if location(again.op.site) == back
    }


def _drawn(trace: Trace, way: Way, first: set[int], last: set[int], bridges: dict[int, int], target: Node) -> Facts:
    """The groups as nodes, the loss in front and each one before what it was made from."""
    count = len(way.groups)
    made: list[Node] = []
    for number in range(count - 1, -1, -1):
        rows, words = way.groups[number].tolist(), way.words[number]
        node = target if len(rows) == 1 and rows[0] in first else _named(trace, rows, words)
        if len(rows) == 1 and rows[0] in last:
            node = _as_loss(node)
        sources = [early for (early, late) in way.edges if late == number]
        cut = CUTS[columns.cut_of(int(words[0]))] if len(rows) == 1 else None
        back = len(rows) == 1 and rows[0] in bridges
        broken = [one for one in sources if (cut and way.edges[one, number]) or (back and not way.edges[one, number])]
        made.append(
            replace(
                node,
                to=tuple(count - 1 - one for one in sources),
                broken=tuple(count - 1 - one for one in broken),
                unwalked=tuple(count - 1 - one for one in sources if not way.edges[one, number] and one not in broken),
                missing=_SAID.get(cut or "", "") or (_BACK if back else _AS_WELL if node.name in _ENDING else ""),
            )
        )
    return Facts(tuple(_as_walked(made)))


def _named(trace: Trace, rows: Sequence[int], words: Numbers | None = None) -> Node:
    if words is None or len(rows) == 1:
        step = trace.view(rows[0])
        if not isinstance(step, Op):
            return Node("leaf", step.kind, "", None, ())
        name = _NAMES.get(step.name, step.name)
        where = f"{Path(step.site.file).name}:{step.site.line}" if step.site.file else ""
        inside = f" in {step.site.module_path}" if step.site.module_path else ""
        return Node("operation", where + inside or "operation", name, None, ())
    kinds: Counter[str] = Counter()
    for name, many in zip(*np.unique(words >> columns._NAME & 0xFFF, return_counts=True), strict=True):
        kinds[trace.names[name].partition(":")[0] or "unknown"] += int(many)
    listed = [f"{_NAMES.get(kind, kind)} ×{many}" for kind, many in kinds.most_common(3)]
    more = f", {len(kinds) - 3} more kinds" if len(kinds) > 3 else ""
    cuts = int((words >> columns._CUT & 15 > 0).sum())
    text = ", ".join(listed) + more + (f"; {cuts} cuts among them" if cuts else "")
    return Node("fold", text, f"{len(rows)} operations", None, ())


def _as_loss(node: Node) -> Node:
    return replace(node, kind="loss", name="loss", what=", ".join(part for part in (node.name, node.what) if part))


def _as_walked(made: list[Node]) -> list[Node]:
    """Marks what `backward()` never gets to, though it would require grad there."""
    met, queue = {i for i, node in enumerate(made) if node.kind == "loss"}, deque(range(len(made)))
    queue = deque(sorted(met))
    while queue:
        node = made[queue.popleft()]
        for one in node.to:
            if one not in met and one not in node.broken and one not in node.unwalked:
                met.add(one)
                queue.append(one)
    return [
        node if i in met else replace(node, unwalked=tuple(one for one in node.to if one not in node.broken))
        for i, node in enumerate(made)
    ]


def _apart(loss: Node, target: Node) -> Facts:
    """Nothing leads from one to the other."""
    gap = replace(target, kind="gap", missing="no way leads here")
    return Facts((replace(loss, to=(1,), broken=(1,)), gap))


def _untraced(tensor: torch.Tensor, losses: Sequence[torch.Tensor], answer: Diagnosis, target: Node) -> Facts | None:
    """What the graph shows: the loss, the operations of one way if it is short, the tensor."""
    loss = Node("loss", "loss", "loss", None, ())
    arrives = reached(losses, [tensor])[0]
    if arrives is None:
        return None
    if not arrives:
        return _apart(loss, target)
    names = _walked(losses, tensor) if len(losses) == 1 else None
    if names is None:
        fold = Node("fold", "not looked at: no trace was on", "the operations between", None, (2,))
        return Facts((replace(loss, to=(1,)), fold, target))
    made = [Node("operation", "operation", name, None, (i + 2,)) for i, name in enumerate(names[1:])]
    return Facts((replace(loss, what=names[0], to=(1,)), *made, target))


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
