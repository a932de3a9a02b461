"""What can be read off a tensor and a loss, without preparation and without a change to either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.nn.parameter import is_lazy

from ..diagnosis import State
from .reach import reached

Loss = Literal["missing", "no_graph", "leaf", "graph"]


@dataclass(frozen=True)
class Facts:
    """loss: none given, nothing in it requires grad, a leaf that requires grad itself, or the end of a graph."""

    tensor: torch.Tensor
    losses: tuple[torch.Tensor, ...]
    state: State
    some_zeros: bool
    loss: Loss
    loss_is_finite: bool
    reached: bool | None  # None: not known
    is_loss: bool
    kept_by_trace: bool = False  # its gradient is there only because `trace(values=True)` asked for it

    @property
    def keeps_gradient(self) -> bool:
        return self.tensor.is_leaf or (self.tensor.retains_grad and not self.kept_by_trace)

    @property
    def may_be_edited(self) -> bool:
        """Whether it, or what it is a view of, was ever written in place; inference tensors do not count writes."""
        return not self.tensor.is_inference() and self.tensor._version > 0


def gather(tensor: torch.Tensor, losses: Sequence[torch.Tensor], known: bool | None = None) -> Facts:
    """Reads everything; `known` is the answer of the reach check where the caller has it already."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        state, some_zeros = _state(gradient(tensor))
        kind = _loss(losses)
        finite = all(_finite(loss) for loss in losses)
    if known is None and losses:
        known = reached(losses, [tensor])[0]
    return Facts(tensor, tuple(losses), state, some_zeros, kind, finite, known, any(one is tensor for one in losses))


def gradient(tensor: torch.Tensor) -> torch.Tensor | None:
    """`.grad`, without the warning that torch gives for a tensor that keeps none."""
    with torch._C.DisableTorchFunction():
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def _state(grad: torch.Tensor | None) -> tuple[State, bool]:
    if grad is None:
        return "none", False
    values: Any = grad.coalesce().values() if grad.layout is torch.sparse_coo else grad
    if values.layout is not torch.strided or values.is_meta or values.numel() == 0:
        return "present", False
    if not bool(torch.isfinite(values).all()):
        return "nonfinite", False
    nonzero = int(torch.count_nonzero(values))
    if nonzero == 0:
        return "zero", True
    return "present", nonzero < values.numel()


def _finite(loss: torch.Tensor) -> bool:
    if loss.layout is not torch.strided or loss.is_meta:
        return False
    return bool(torch.isfinite(loss).all())


def no_graph(losses: Sequence[torch.Tensor]) -> bool:
    """Whether there are losses, and none of them requires grad."""
    return bool(losses) and not any(loss.requires_grad for loss in losses)


def _loss(losses: Sequence[torch.Tensor]) -> Loss:
    if not losses:
        return "missing"
    live = [loss for loss in losses if loss.requires_grad]
    if not live:
        return "no_graph"
    return "leaf" if all(loss.is_leaf for loss in live) else "graph"


def named(tensor: torch.Tensor) -> str:
    """A short description for a tensor that has no name: its kind, shape and type."""
    kind = "parameter" if isinstance(tensor, torch.nn.Parameter) else "leaf" if tensor.is_leaf else "result"
    if is_lazy(tensor):
        return f"{kind} without a shape yet"
    if tensor.is_nested:
        return f"nested {kind}, {str(tensor.dtype).removeprefix('torch.')}"
    return f"{kind} of shape {tuple(tensor.shape)}, {str(tensor.dtype).removeprefix('torch.')}"
