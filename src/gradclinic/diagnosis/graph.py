"""What a picture of an autograd graph is made of: nodes as plain data, so that drawing needs no torch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Node:
    """One node; `to` holds the indices of the nodes that it was computed from.

    kind: loss, operation, leaf, fold (several operations in one), or gap (what the loss does not reach).
    grad: whether the `.grad` of the tensor with this `name` holds something; None when no name is left.
    broken: those of `to` behind which autograd lost the way. unsure: those of which that is likely. unwalked: those
    that only values came from, or that `backward()` never gets to. open: of a gap, whether it is not known where.
    """

    kind: str
    what: str
    name: str
    grad: bool | None
    to: tuple[int, ...]
    missing: str = ""
    broken: tuple[int, ...] = ()
    unwalked: tuple[int, ...] = ()
    unsure: tuple[int, ...] = ()
    open: bool = False

    @classmethod
    def of(cls, told: dict[str, Any]) -> Node:
        return cls(**told | {name: tuple(told[name]) for name in _TO if name in told})

    def renumbered(self, index: Mapping[int, int]) -> Node:
        """The same with other numbers for the nodes that it was computed from."""
        to, broken, unwalked, unsure = (tuple(sorted(index[at] for at in getattr(self, name))) for name in _TO)
        return replace(self, to=to, broken=broken, unwalked=unwalked, unsure=unsure)

    def dark(self) -> Node:
        """The same where `backward()` never gets to."""
        return replace(self, unwalked=tuple(at for at in self.to if at not in (*self.broken, *self.unsure)))


_TO = ("to", "broken", "unwalked", "unsure")


def walked(nodes: Sequence[Node]) -> set[int]:
    """Which nodes `backward()` gets to."""
    met = {i for i, node in enumerate(nodes) if node.kind == "loss"}
    queue = sorted(met)
    for at in queue:
        node = nodes[at]
        fresh = {*node.to} - {*node.broken, *node.unwalked, *node.unsure} - met
        met |= fresh
        queue.extend(fresh)
    return met


@dataclass(frozen=True)
class Facts:
    """Nodes, the loss first."""

    nodes: tuple[Node, ...]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Facts:
        return cls(tuple(map(Node.of, json.loads(text)["nodes"])))


def operation(function_name: str) -> str:
    """`MseLossBackward0` is `mse_loss`: the word that a reader knows from the program."""
    short = re.sub(r"Backward\d*$", "", function_name.rsplit("::", 1)[-1])
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", short).lower()
