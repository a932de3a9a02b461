"""The path that a diagnosis shows: from the loss back to the tensor, with the place where it breaks.

With a trace it is made from the recorded operations; without one, of the graph, as far as that may be looked at. The
graph alone says whether the tensor is reached: where the trace tells another story, the picture does not tell it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from ..decide.facts import gradient, named
from ..decide.places import location
from ..decide.reach import reached
from ..diagnosis import Diagnosis
from ..graph import Facts, Node, walked
from ..record import rows as columns
from ..record.views import Op
from ..trace import Trace
from .breaks import ENDING, Breaks, place_of, shown, words
from .seen import untraced
from .way import Numbers, Way, between, sources

MOST = 30
_NEAR = 100  # operations behind a tensor that are searched for one that the loss uses


def with_path(
    answer: Diagnosis, tensor: torch.Tensor, losses: Sequence[torch.Tensor], trace: Trace | None, name: str = ""
) -> Diagnosis:
    """The diagnosis of a tensor with its path; as it is where there is no loss to lead a path from."""
    if not losses or any(loss is tensor for loss in losses):
        return answer
    hit = answer.reached if answer.reached is not None else reached(losses, [tensor])[0]
    if hit is None:
        return answer
    kind = "leaf" if tensor.is_leaf else "operation"
    what = ("leaf" if tensor.is_leaf else "result") + ("" if tensor.requires_grad else ", requires_grad False")
    target = Node(kind, what, name or named(tensor), gradient(tensor) is not None, ())
    found = _Traced(trace, answer, losses).path(tensor, target, hit) if trace is not None else None
    return replace(answer, path=found or untraced(tensor, losses, target, hit))


class _Traced:
    """Paths from what a trace has recorded."""

    def __init__(self, trace: Trace, answer: Diagnosis, losses: Sequence[torch.Tensor]) -> None:
        self.trace = trace
        self.answer = answer
        self.last = [made.index for loss in losses if (made := trace.maker(loss)) is not None]
        self.breaks = Breaks(trace, answer.findings)

    def path(self, tensor: torch.Tensor, target: Node, hit: bool) -> Facts | None:
        """None where the trace has not met the loss, nor the tensor that the graph leads to."""
        states = [step.index for step in self.trace.states(tensor)]
        if not states or not self.last:
            return self._apart(target) if self.last and not hit else None
        first = states if hit or self.breaks else states[-1:]
        bridges = [] if hit else self.breaks.bridges
        stops = [] if hit else [number for number, name in enumerate(self.trace.names) if name in ENDING]
        way = between(self.trace.rows, first, self.last, bridges, MOST - len(bridges), self.breaks.rows, stops, hit)
        if way.groups:
            drawn, arrives = self._drawn(way, set(first), target)
            if hit or not arrives:  # a way that is recorded, and not in the graph, proves nothing
                return drawn
        if hit:
            fold = Node("fold", "not seen by the trace", "the operations between", None, (2,))
            return Facts((replace(self._loss(), to=(1,)), fold, target))
        return self._beside(states[-1], target) or self._apart(target)

    # ---- a way that was recorded

    def _drawn(self, way: Way, first: set[int], target: Node) -> tuple[Facts, bool]:
        """The groups as nodes, the loss in front and each one before what it was made from; and whether by them
        `backward()` gets to the tensor."""
        of_interest = np.array([*first, *self.breaks.all_rows], np.int64)
        group = {
            row: number for number, rows in enumerate(way.groups) for row in rows[np.isin(rows, of_interest)].tolist()
        }
        asked = max((row for row in first if row in group), default=0)
        made = self.breaks.outside(group)
        for number, rows in enumerate(way.groups):
            single = len(rows) == 1
            node = target if single and rows[0] == asked else self._named(rows.tolist(), way.words[number])
            if single and rows[0] in self.last:
                node = _as_loss(node)
            feeders = {early: flag for (early, late), flag in way.edges.items() if late == number}
            made[place_of(number)] = self.breaks.mark(node, number, rows.tolist(), way.words[number], feeders, group)
        index = {place: at for at, place in enumerate(sorted(made, reverse=True))}
        nodes = [made[place].renumbered(index) for place in index]
        lit = walked(nodes)
        facts = Facts(tuple(node if i in lit else node.dark() for i, node in enumerate(nodes)))
        return facts, asked in group and index[place_of(group[asked])] in lit

    def _named(self, rows: Sequence[int], packed: Numbers) -> Node:
        if len(rows) == 1:
            step = self.trace.view(rows[0])
            if not isinstance(step, Op):
                return Node("leaf", step.kind, "", None, ())
            return Node("operation", shown(location(step.site)), words(step.name), None, ())
        kinds: Counter[str] = Counter()
        for name, many in zip(*np.unique(packed >> columns._NAME & 0xFFF, return_counts=True), strict=True):
            kinds[self._name(int(name))] += int(many)
        return _fold(kinds, int((packed >> columns._CUT & 15 > 0).sum()))

    def _name(self, number: int) -> str:
        return words(self.trace.names[number].partition(":")[0]) or "unknown"

    def _loss(self) -> Node:
        made = self.trace.view(self.last[0])
        if not isinstance(made, Op):
            return Node("loss", "leaf", "loss", None, ())
        return _as_loss(self._named([made.index], np.zeros(1, np.int64)))

    # ---- no way that was recorded

    def _apart(self, target: Node) -> Facts:
        """The loss, what it was made from, and the tensor that nothing is seen to lead to."""
        names, unknown = sources(self.trace.rows, self.last)
        kinds = Counter({self._name(number): many for number, many in names.items()})
        loss = self._loss()
        kinds[loss.what.partition(",")[0]] -= 1
        nodes = [loss]
        if sum((+kinds).values()):
            nodes[0] = replace(nodes[0], to=(1,))
            nodes.append(_fold(+kinds))
        if unknown:
            many = "a tensor" if len(unknown) == 1 else f"{len(unknown)} tensors"
            nodes[-1] = replace(nodes[-1], to=(len(nodes),), unwalked=(len(nodes),))
            nodes.append(Node("leaf", "how it was made was not seen", f"? {many} of unknown origin", None, ()))
        return Facts((*nodes, self._gap(target)))

    def _beside(self, row: int, target: Node) -> Facts | None:
        """A result that the loss was computed without, though both come from the same; None where they do not."""
        if not isinstance(self.trace.view(row), Op):
            return None
        shared = self._shared(row)
        way = between(self.trace.rows, shared, self.last, [], MOST - 1, recorded=True) if shared else Way((), (), {})
        if not way.groups:
            return None
        drawn, _ = self._drawn(way, set(), target)
        at = {made: len(way.groups) - 1 - number for number, rows in enumerate(way.groups) for made in rows.tolist()}
        to = tuple(dict.fromkeys(at[one] for one in shared if one in at))
        return Facts((*drawn.nodes, replace(self._gap(target), to=to)))

    def _shared(self, row: int) -> list[int]:
        """The nearest steps behind a row that the loss was computed from as well."""
        used = self.breaks.ancestors(self.last)
        found, seen, queue = [], {row}, deque([row])
        while queue and len(seen) < _NEAR:
            for value in self.trace.rows.get(queue.popleft())[1]:
                before = value >> 1
                if before in seen:
                    continue
                seen.add(before)
                if before in used:
                    found.append(before)
                else:
                    queue.append(before)
        return found[:3]

    def _gap(self, target: Node) -> Node:
        cause = self.answer.cause.id if self.answer.cause and self.answer.certainty == "proved" else ""
        text = _BESIDE.get(cause, "")
        return replace(target, kind="gap", missing=text or "not reached; where it is lost is not known", open=not text)


_BESIDE = {
    "unused": "the loss does not depend on it",
    "off_the_path": "made beside the way",
    "modified_after_use": "changed after the loss had used it",
}


def _fold(kinds: Counter[str], cuts: int = 0) -> Node:
    listed = [f"{kind} ×{many}" for kind, many in kinds.most_common(3)]
    more = f", {len(kinds) - 3} more kinds" if len(kinds) > 3 else ""
    among = f"; {cuts} cuts among them" if cuts > 1 else "; a cut among them" if cuts else ""
    count = sum(kinds.values())
    return Node("fold", ", ".join(listed) + more + among, f"{count} operation{'s' if count > 1 else ''}", None, ())


def _as_loss(node: Node) -> Node:
    return replace(node, kind="loss", name="loss", what=", ".join(part for part in (node.name, node.what) if part))
