"""How the values of a loss came from a tensor, as far as the trace saw it, and where autograd stopped following."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from .site import Site
from .trace import Trace
from .views import Event, Op, Source

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


@dataclass(frozen=True)
class Way:
    """What became of one tensor on its way to the loss.

    cuts: the operations where autograd stopped following it, the earliest first. unrecorded: operations that used it
    while it did not require grad. arrives: a recorded way leads from it to the loss. steps: everything on the way.
    """

    used: bool
    cuts: tuple[Op, ...]
    unrecorded: tuple[Op, ...]
    arrives: bool
    steps: frozenset[int]


class History:
    """Everything that the losses were computed from, by values, recorded or not."""

    def __init__(self, trace: Trace, starts: Iterable[Step]) -> None:
        self.trace = trace
        self.starts = {one.index: one for one in starts}
        self.steps: dict[int, Step] = dict(self.starts)
        self.users: dict[int, list[tuple[Op, bool]]] = {}
        self._passes: dict[tuple[int, ...], History] = {}
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
        begin = [one.index for one in starts if one.index in self.steps]
        seen, queue = set(begin), deque(begin)
        cuts: dict[int, Op] = {}
        unrecorded: dict[int, Op] = {}
        while queue:
            here = queue.popleft()
            for op, tracked in self.users.get(here, ()):
                if op.index in seen or op.name in without:
                    continue
                if not tracked and not self._hidden(here):
                    unrecorded[op.index] = op
                elif op.cut is not None or (op.name in _DETACHES and self.trace.inside_checkpoint(op)):
                    cuts[op.index] = op
                elif op.tracked_out or self.trace.inside_checkpoint(op):
                    seen.add(op.index)
                    queue.append(op.index)
        used = bool(begin) and (
            bool(cuts or unrecorded) or len(seen) > len(set(begin)) or bool(seen & set(self.starts))
        )
        arrives = bool(seen & set(self.starts))
        return Way(used, _ordered(cuts), _ordered(unrecorded), arrives, frozenset(seen))

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


def _ordered(ops: dict[int, Op]) -> tuple[Op, ...]:
    return tuple(ops[index] for index in sorted(ops))


def order(event: Event) -> int:
    """When it happened: two events without an operation between them have the same index."""
    return int(getattr(event, "order", event.index))


def descends(trace: Trace, step: Step, states: Sequence[Step]) -> bool:
    """Whether a step is one of these states, or was computed from one."""
    wanted = {one.index for one in states}
    return step.index in wanted or any(one.index in wanted for one in trace.ancestors(step))
