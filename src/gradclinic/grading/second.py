"""What `diagnose` knows of a replayed call, where the events alone leave a wrong number or a vague cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch

from gradclinic.diagnosis.decide.traced import Inquiry
from gradclinic.diagnosis.diagnosis import Location
from gradclinic.diagnosis.record.ledger import Trace
from gradclinic.diagnosis.record.site import Site
from gradclinic.diagnosis.record.views import Event

Line = Callable[[Site | Location | None], int | None]
Said = tuple[str, int | None]  # a cause and its line

_CUTS = ("detached", "rewrapped", "left_torch", "grad_mode_off", "not_differentiable", "flag_too_late")
_VALUES = ("zero_derivative", "broadcast_target", "nonfinite_derivative")
_MOST = 20  # tensors that are asked about


class Second:
    """A second opinion, asked after the call. Each pass is followed once."""

    def __init__(self, trace: Trace, line: Line) -> None:
        self._trace = trace
        self._line = line
        self._inquiries: dict[int, Inquiry] = {}
        self._left = _MOST

    def on_cut(self, tensor: torch.Tensor, asked: Event | None) -> Said | None:
        """What cut the way from a tensor to what a pass (or a call of autograd.grad) started from."""
        if asked is None or self._left == 0:
            return None
        self._left -= 1
        finding = self._inquiry(asked).root(tensor)
        if finding is None or finding.cause.id not in _CUTS or finding.certainty == "open":
            return None
        return finding.cause.id, self._line(finding.location)

    def on_values(self, tensors: Iterable[torch.Tensor]) -> Said | None:
        """Why gradients that arrived are zero or wrong: only what is proved."""
        passes = self._trace.events("backward")[-3:]
        leaves = [one for one in {id(one): one for one in tensors}.values() if _has_gradient(one)][:_MOST]
        for asked in passes:
            inquiry = self._inquiry(asked)
            for leaf in leaves:
                found = inquiry.decide(leaf, inquiry.losses)
                if found.cause is not None and found.certainty == "proved" and found.cause.id in _VALUES:
                    return found.cause.id, self._line(found.location)
        return None

    def _inquiry(self, asked: Event) -> Inquiry:
        if asked.order not in self._inquiries:
            roots = asked.facts["roots" if asked.kind == "backward" else "outputs"]
            self._inquiries[asked.order] = Inquiry(self._trace, _alive(roots))
        return self._inquiries[asked.order]


def _alive(refs: Iterable[Callable[[], torch.Tensor | None]]) -> Sequence[torch.Tensor]:
    return [tensor for ref in refs if (tensor := ref()) is not None]


def _has_gradient(tensor: torch.Tensor) -> bool:
    return tensor.is_leaf and tensor.requires_grad and tensor.grad is not None
