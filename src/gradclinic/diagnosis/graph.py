"""What a picture of an autograd graph is made of: nodes as plain data, so that drawing needs no torch."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Node:
    """One node; `to` holds the indices of the nodes that it was computed from.

    kind: loss, operation, leaf, fold (several operations in one), or gap (what the loss does not reach).
    grad: whether the `.grad` of the tensor with this `name` holds something; None when no name is left.
    broken: those of `to` behind which autograd lost the way. unwalked: those that only values came from, or that
    `backward()` never gets to.
    """

    kind: str
    what: str
    name: str
    grad: bool | None
    to: tuple[int, ...]
    missing: str = ""
    broken: tuple[int, ...] = ()
    unwalked: tuple[int, ...] = ()

    @classmethod
    def of(cls, told: dict[str, Any]) -> Node:
        return cls(**told | {name: tuple(told[name]) for name in ("to", "broken", "unwalked") if name in told})


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
