"""Where each tensor of a watched call came from: what made it, from what, at which line, and what cut it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

BUILDERS = {"tensor", "as_tensor", "new_tensor", "from_numpy", "asarray", "Parameter", "deepcopy"}


@dataclass
class Made:
    """How a tensor came to be; kept alive, since an id() means nothing after its tensor is gone."""

    tensor: torch.Tensor
    op: str
    line: int | None
    inputs: list[int] = field(default_factory=list)
    node: Any = None  # grad_fn when made: an in-place edit replaces it
    cut: str | None = None  # the cause, if a tracked input went in and an untracked result came out
    tracked_at_use: bool = False
    first_use: int | None = None


class Origins:
    """What is known of every tensor seen, by id(); the witness tells it of each use and each result."""

    def __init__(self) -> None:
        self.made: dict[int, Made] = {}
        self.edited: dict[int, int | None] = {}  # the line of the first in-place edit
        self.flagged: dict[int, int | None] = {}  # the line of the last requires_grad_()
        self.left_torch = False  # whether a value has been taken out as a number or an array

    def note_use(self, tensors: Iterable[torch.Tensor], line: int | None) -> None:
        for tensor in tensors:
            made = self.made.setdefault(id(tensor), Made(tensor, "given", None, node=tensor.grad_fn))
            if made.first_use is None:
                made.first_use = line
                made.tracked_at_use = tensor.requires_grad

    def note_made(self, name: str, inputs: list[torch.Tensor], made: torch.Tensor, line: int | None) -> str | None:
        """Returns the cause if this operation cut the history of its inputs."""
        if any(made is tensor for tensor in inputs):
            self.made[id(made)].inputs += [id(tensor) for tensor in inputs if tensor is not made]
            return None
        entry = Made(made, name, line, [id(tensor) for tensor in inputs], made.grad_fn)
        entry.cut = self._cut(name, inputs, made)
        self.made[id(made)] = entry
        return entry.cut

    def _cut(self, name: str, inputs: list[torch.Tensor], made: torch.Tensor) -> str | None:
        if made.requires_grad and made.grad_fn is not None:
            return None
        if name in BUILDERS and not any(t.requires_grad for t in inputs):
            return "left_torch" if self.left_torch else None
        if not any(t.requires_grad for t in inputs):
            return None
        if name in ("detach", "detach_", "data"):
            return "detached"
        if name in BUILDERS:
            return "rewrapped"
        if not torch.is_grad_enabled():
            return "grad_mode_off"
        return "not_differentiable"

    def moved_off(self, tensor: torch.Tensor) -> bool:
        """Whether an in-place edit has given it another node than the one that made it."""
        made = self.made.get(id(tensor))
        if tensor.is_leaf or made is None or made.node is None or made.node is tensor.grad_fn:
            return False
        return id(tensor) in self.edited

    def from_leaf(self, tensor: torch.Tensor) -> bool:
        """Whether a leaf that requires grad went straight into the expression that made this tensor."""
        made = self.made.get(id(tensor))
        line, todo = made.line if made else None, [made]
        while todo:
            one = todo.pop()
            if one is None or one.line != line:
                continue
            for key in one.inputs:
                source = self.made.get(key)
                if source is not None and source.tensor.is_leaf and source.tensor.requires_grad:
                    return True
                todo.append(source)
        return False

    def upstream(self, tensor: torch.Tensor) -> Iterator[Made]:
        """The makers of a tensor, nearest first."""
        seen, todo = set(), [id(tensor)]
        while todo:
            key = todo.pop(0)
            if key in seen or (made := self.made.get(key)) is None:
                continue
            seen.add(key)
            yield made
            todo += made.inputs

    def cut_above(self, tensor: torch.Tensor) -> list[Any] | None:
        return next(([made.cut, made.line, made.op] for made in self.upstream(tensor) if made.cut), None)

    def has_history(self, tensor: torch.Tensor) -> bool:
        """Whether it belongs to a computation that asks for gradients, `x.detach().numpy()` included."""
        return tensor.requires_grad or self.cut_above(tensor) is not None

    def used_untracked(self, tensor: torch.Tensor) -> bool:
        made = self.made.get(id(tensor))
        return bool(tensor.requires_grad and made and made.first_use is not None and not made.tracked_at_use)

    def late_flag(self, roots: list[torch.Tensor]) -> int | None:
        for root in roots:
            for made in self.upstream(root):
                flagged = self.flagged.get(id(made.tensor))  # a view of a flagged leaf looks flagged, too
                if flagged and made.tensor is not root and self.used_untracked(made.tensor):
                    return flagged
        return None

    def untracked_maker(self, roots: list[torch.Tensor]) -> int | None:
        """The line of the learner's that made a fresh leaf for the loss and asked no gradient for it."""
        for root in roots:
            for made in self.upstream(root):
                fresh = made.op in {"clone", *BUILDERS} - {"Parameter"} and made.tensor.is_floating_point()
                if fresh and made.line is not None and not made.tensor.requires_grad:
                    return made.line
        return None


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)


def nodes_below(root: Any) -> set[Any]:
    found, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [after for after, _ in node.next_functions]
    return found


def on_path(path: set[Any], tensor: torch.Tensor) -> bool:
    """Whether a set of nodes holds the one of this tensor, leaf or not."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn in path
    return any(getattr(node, "variable", None) is tensor for node in path)
