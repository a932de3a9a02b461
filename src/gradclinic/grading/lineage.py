"""Where the tensors of a replayed call came from, and which backward pass led to them: asked of its trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property

import torch

from gradclinic.diagnosis.record.names import BUILDERS
from gradclinic.diagnosis.record.site import Site
from gradclinic.diagnosis.record.views import Event, Op, Source
from gradclinic.diagnosis.trace import Trace

Step = Op | Source
Cut = tuple[str, int | None, str]  # its cause, its line, the operation

COPIES = BUILDERS | {"deepcopy"}
_GRADIENTS = ("no_create_graph", None)  # what was computed from a gradient is no answer to where a gradient got lost


class Lineage:
    """Questions about one call; every step is a state of a tensor.

    tensors: all that the call has used or made. given: the id() of those that were there before."""

    def __init__(
        self, trace: Trace, tensors: Iterable[torch.Tensor], given: set[int], line: Callable[[Site], int | None]
    ) -> None:
        self._trace = trace
        self._given = given
        self._line = line
        self._holders: dict[int, list[torch.Tensor]] = {}
        for tensor in {id(one): one for one in tensors}.values():
            for state in trace.states(tensor):
                self._holders.setdefault(state.index, []).append(tensor)
        self._graphs: dict[frozenset[int], frozenset[int]] = {}

    def states(self, tensor: torch.Tensor, before: float = math.inf) -> list[Step]:
        """Its states until a moment, oldest first."""
        return [one for one in self._trace.states(tensor) if one.index < before]

    def holders(self, step: Step) -> list[torch.Tensor]:
        """The tensors that are, or were, in this state."""
        return self._holders.get(step.index, [])

    def above(self, start: Step) -> Iterator[Step]:
        """The step and what it was computed from, nearest first; gradients begin a story of their own."""
        seen, todo = {start.index}, [start]
        while todo:
            step = todo.pop(0)
            yield step
            if isinstance(step, Op) and step.cut != "no_create_graph":
                fresh = {one.index: one for one in step.inputs if one.index not in seen}
                seen.update(fresh)
                todo += fresh.values()

    # ---- cuts

    def cut(self, step: Step) -> Cut | None:
        """Why this step has no history though what went into it had one."""
        cause = step.cut if isinstance(step, Op) else None
        left = self._numbers_back.get(step.index) if cause is None else None
        if left is not None:  # torch.Tensor([...]) is seen when it is first used: then the way out is nearer
            place = step.site if isinstance(step, Op) else left.site
            return "left_torch", self._line(place), step.name if isinstance(step, Op) else "Tensor"
        if cause in _GRADIENTS or not isinstance(step, Op):
            return None
        return str(cause), self._line(step.site), step.name

    def cut_above(self, start: Step | None) -> Cut | None:
        steps = self.above(start) if start is not None else ()
        return next((cut for step in steps if (cut := self.cut(step)) is not None), None)

    @cached_property
    def _numbers_back(self) -> dict[int, Event]:
        """The new tensors that may hold a number which was taken out of a computation that asks for gradients."""
        for event in self._trace.events("left_torch"):
            if self.asks_for_gradients(event):
                back = (one.op for one in self._trace.reentries(event))
                return {step.index: event for step in back if not self._is_given(step)}
        return {}

    def _is_given(self, step: Step) -> bool:
        return any(id(one) in self._given for one in self.holders(step))

    def asks_for_gradients(self, left: Event) -> bool:
        """Whether the value that left PyTorch belonged to such a computation, `x.detach().numpy()` included."""
        if left.facts["how"] in ("format", "repr"):  # it was printed
            return False
        if left.facts["tracked"]:
            return True
        return any(isinstance(step, Op) and step.cut not in _GRADIENTS for step in self.above(left.facts["op"]))

    # ---- graphs

    def graph(self, roots: Iterable[Step]) -> frozenset[int]:
        """The steps that a backward pass from these roots goes through, leaves included."""
        todo = [one for one in roots if _tracked(one)]
        key = frozenset(one.index for one in todo)
        if key not in self._graphs:
            found = set(key)
            while todo:
                step = todo.pop()
                if not (isinstance(step, Op) and has_node(step)):
                    continue
                for given, tracked in zip(step.inputs, step.inputs_tracked, strict=True):
                    if tracked and given.index not in found:
                        found.add(given.index)
                        todo.append(given)
            self._graphs[key] = frozenset(found)
        return self._graphs[key]

    def on_path(self, tensor: torch.Tensor, before: int, path: frozenset[int]) -> bool:
        """Whether a graph leads to the tensor as it is at a moment."""
        states = self.states(tensor, before)
        return bool(states) and states[-1].index in path

    @cache  # noqa: B019 - it lives as long as the one call
    def inner(self, path: frozenset[int]) -> frozenset[int]:
        """The operations of a graph, without its leaves."""
        return frozenset(row for row in path if has_node(self._trace.view(row)))


def _tracked(step: Step) -> bool:
    return step.tracked_out if isinstance(step, Op) else step.kind != "constant"


def has_node(step: Step) -> bool:
    """Whether autograd recorded the operation, so that its result is no leaf."""
    return isinstance(step, Op) and step.tracked_out and step.tracked_in and step.cut is None
