"""How the values of a loss came from a tensor, as far as the trace saw it, and where autograd stopped following."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from functools import cached_property

import torch

from ..record.site import Site
from ..record.views import Event, Op, Source
from ..trace import Trace

Step = Op | Source

# The derivative of these is zero wherever it exists; torch records them.
FLAT = frozenset(
    [
        "round",
        "floor",
        "ceil",
        "trunc",
        "fix",
        "sign",
        "sgn",
        "round_",
        "floor_",
        "ceil_",
        "trunc_",
        "fix_",
        "sign_",
        "sgn_",
        "normal",
        "bernoulli",
        "poisson",
    ]
)


_DETACHES = frozenset({"detach", "detach_", "data"})


class Way:
    """What became of one tensor on its way to the loss.

    cuts: the operations where autograd stopped following it, the earliest first. unrecorded: operations that used it
    while it did not require grad. arrives: a recorded way leads from it to the loss. steps: everything on the way.
    """

    def __init__(self, history: History, begin: frozenset[int], without: frozenset[str]) -> None:
        self._history, self._begin, self._without = history, begin, without
        arrives, lost = history.outlook(without)
        self.arrives = not begin.isdisjoint(arrives)
        self._lost = not begin.isdisjoint(lost)

    @cached_property
    def used(self) -> bool:
        moves = (move for one in self._begin for move in self._history.moves.get(one, ()))
        further = any(kind == _PASS and to not in self._begin and name not in self._without for to, name, kind in moves)
        return self._lost or further or not self._begin.isdisjoint(self._history.starts)

    @property
    def cuts(self) -> tuple[Op, ...]:
        return self._met[1] if self._lost else ()

    @property
    def unrecorded(self) -> tuple[Op, ...]:
        return self._met[2] if self._lost else ()

    @property
    def steps(self) -> frozenset[int]:
        return self._met[0]

    @cached_property
    def _met(self) -> tuple[frozenset[int], tuple[Op, ...], tuple[Op, ...]]:
        moves, without = self._history.moves, self._without
        seen, queue = set(self._begin), list(self._begin)
        ends: tuple[set[int], set[int]] = (set(), set())
        while queue:
            for to, name, kind in moves.get(queue.pop(), ()):
                if to in seen or name in without:
                    continue
                if kind == _PASS:
                    seen.add(to)
                    queue.append(to)
                else:
                    ends[kind - 1].add(to)
        return frozenset(seen), self._history.ordered(ends[0]), self._history.ordered(ends[1])


_PASS, _CUT, _UNRECORDED = range(3)
_KEPT = 50  # ways: one question asks for the same few again and again


class History:
    """Everything that the losses were computed from, by values, recorded or not."""

    def __init__(self, trace: Trace, starts: Iterable[Step]) -> None:
        self.trace = trace
        self.starts = {one.index: one for one in starts}
        self.steps: dict[int, Step] = dict(self.starts)
        self.users: dict[int, list[tuple[Op, bool]]] = {}
        self._passes: dict[tuple[int, ...], History] = {}
        self._ways: dict[tuple[frozenset[int], frozenset[str]], Way] = {}
        self._outlooks: dict[frozenset[str], tuple[set[int], set[int]]] = {}
        queue: deque[Step] = deque(self.starts.values())
        while queue:
            step = queue.popleft()
            if not isinstance(step, Op):
                continue
            for given, tracked in zip(step.inputs, step.inputs_tracked, strict=True):
                self.users.setdefault(given.index, []).append((step, tracked))
                if given.index not in self.steps:
                    self.steps[given.index] = given
                    queue.append(given)

    @classmethod
    def of(cls, trace: Trace, losses: Sequence[torch.Tensor]) -> History:
        return cls(trace, [made for loss in losses if (made := trace.maker(loss)) is not None])

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        return tuple(step for step in self.steps.values() if isinstance(step, Source))

    @cached_property
    def ops(self) -> tuple[Op, ...]:
        return tuple(sorted((one for one in self.steps.values() if isinstance(one, Op)), key=lambda one: one.index))

    @cached_property
    def last_at(self) -> dict[Site, Op]:
        """The last operation at each place."""
        return {op.site: op for op in {op.place: op for op in self.ops}.values()}

    def __contains__(self, step: Step) -> bool:
        return step.index in self.steps

    def way(self, starts: Iterable[Step], without: frozenset[str] = frozenset()) -> Way:
        """Follows the tensor that `starts` are states of; `without` names operations that let nothing pass."""
        begin = frozenset(one.index for one in starts if one.index in self.steps)
        known = self._ways.get((begin, without))
        if known is None:
            if len(self._ways) >= _KEPT:
                self._ways.clear()
            known = self._ways[begin, without] = Way(self, begin, without)
        return known

    @cached_property
    def moves(self) -> dict[int, list[tuple[int, str, int]]]:
        """From each step to the operations that took it: their index, their name, and what became of the gradient."""
        found: dict[int, list[tuple[int, str, int]]] = {}
        for here, users in self.users.items():
            hidden = self._hidden(here)
            for op, tracked in users:
                inside = self.trace.inside_checkpoint(op)
                if not tracked and not hidden:
                    kind = _UNRECORDED
                elif op.cut is not None or (inside and op.name in _DETACHES):
                    kind = _CUT
                elif op.tracked_out or inside:
                    kind = _PASS
                else:
                    continue
                found.setdefault(here, []).append((op.index, op.name, kind))
        return found

    def outlook(self, without: frozenset[str]) -> tuple[set[int], set[int]]:
        """The steps from which a recorded way leads to the loss, and those from which something was lost."""
        if without not in self._outlooks:
            arrives, lost = set(self.starts), set[int]()
            for here in sorted(self.moves, reverse=True):  # an operation comes after what it took
                for to, name, kind in self.moves[here]:
                    if name in without:
                        continue
                    if kind != _PASS or to in lost:
                        lost.add(here)
                    if kind == _PASS and to in arrives:
                        arrives.add(here)
            self._outlooks[without] = arrives, lost
        return self._outlooks[without]

    def ordered(self, indices: Iterable[int]) -> tuple[Op, ...]:
        return tuple(one for index in sorted(indices) if isinstance(one := self.steps[index], Op))

    def arrives_after(self, cut: Op) -> bool:
        """Whether the values that left this cut came to the loss without another cut."""
        seen, queue = {cut.index}, deque([cut.index])
        while queue:
            here = queue.popleft()
            if here in self.starts:
                return True
            for op, tracked in self.users.get(here, ()):
                if op.index not in seen and not (op.cut is not None and (tracked or op.tracked_in)):
                    seen.add(op.index)
                    queue.append(op.index)
        return False

    def of_pass(self, event: Event) -> History:
        """What a backward pass started from; kept, since each parameter of a model asks for the same passes."""
        roots = event.facts["root_ops"]
        key = tuple(one.index for one in roots)
        if key == tuple(self.starts):
            return self
        if key not in self._passes:
            self._passes[key] = History(self.trace, roots)
        return self._passes[key]

    def _hidden(self, index: int) -> bool:
        """Whether this ran inside a reentrant checkpoint, which records it later, in backward."""
        step = self.steps[index]
        return isinstance(step, Op) and not step.tracked_out and self.trace.inside_checkpoint(step)


def order(event: Event) -> int:
    """When it happened: two events without an operation between them have the same index."""
    return int(getattr(event, "order", event.index))


def descends(trace: Trace, step: Step, states: Sequence[Step]) -> bool:
    """Whether a step is one of these states, or was computed from one."""
    wanted = {one.index for one in states}
    return step.index in wanted or any(one.index in wanted for one in trace.ancestors(step))
