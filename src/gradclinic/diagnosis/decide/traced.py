"""Why one tensor has the gradient that it has, with a trace: the cause, and the line where it sits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import torch

from ...causes import CAUSES
from ..diagnosis import Diagnosis, Finding, TraceFacts
from ..trace import Trace
from . import delivery, unreached, values
from .facts import Facts, gather
from .found import Found
from .history import History
from .places import location
from .tensor import MAY_BE_RIGHT, plain_diagnosis, symptoms
from .untraced import candidates


class Inquiry:
    """All questions about one loss: its history is followed once."""

    def __init__(self, trace: Trace, losses: Sequence[torch.Tensor]) -> None:
        self.trace = trace
        self.losses = tuple(losses)

    @cached_property
    def history(self) -> History:
        return History.of(self.trace, self.losses)

    def decide(self, tensor: torch.Tensor, losses: Sequence[torch.Tensor], known: bool | None = None) -> Diagnosis:
        facts = self._own(gather(tensor, losses, known))
        plain = replace(
            plain_diagnosis(facts),
            trace=TraceFacts(self.trace.complete, self.trace.dropped),
            notes=tuple(self.trace.notes),
        )
        found = self._found(facts)
        if found is None:
            return plain
        if not found.findings:
            first_words = plain.summary.removesuffix(MAY_BE_RIGHT).rstrip()
            return replace(plain, ok=found.harmless, summary=f"{first_words} {found.said}")
        first = found.findings[0]
        proved = found.certainty == "proved"
        fits = dict.fromkeys(CAUSES[one] for one in (*found.causes, *(() if proved else found.others)))
        return replace(
            plain,
            ok=plain.ok and found.harmless,
            cause=first.cause if found.certainty != "open" else None,
            certainty=found.certainty,
            candidates=tuple(fits),
            findings=(*self._placed(facts), *found.findings),
        )

    def _own(self, facts: Facts) -> Facts:
        """Without a gradient that is kept only because the trace was asked for values."""
        tensor = facts.tensor
        if not self.trace.values or tensor.is_leaf or not tensor.retains_grad:
            return facts
        if any(one.facts["raised"] is None for one in self.trace.events("retain_grad", tensor)):
            return facts
        return replace(facts, state="none", some_zeros=False, kept_by_trace=True)

    def root(self, tensor: torch.Tensor) -> Finding | None:
        """The first finding of a tensor that the loss does not reach; None where it is reached, or where it is open."""
        facts = gather(tensor, self.losses)
        if facts.reached is not False:
            return None
        look = unreached.unreached if tensor.requires_grad else unreached.unasked
        found = look(self.trace, facts, self.history)
        return replace(found.findings[0], certainty=found.certainty) if found is not None else None

    def _found(self, facts: Facts) -> Found | None:
        if facts.state == "present":
            return delivery.present(self.trace, facts, self.history)
        if facts.state == "zero":
            return delivery.zero(self.trace, facts, self.history)
        if facts.state == "nonfinite":
            return values.nonfinite(self.trace, facts, self.history)
        if not facts.tensor.requires_grad:
            return unreached.unasked(self.trace, facts, self.history)
        if facts.reached is False and facts.losses:
            return unreached.unreached(self.trace, facts, self.history)
        if facts.reached or not facts.losses:
            found = delivery.missing(self.trace, facts, self.history) or self._of_a_loss_that_is_gone(facts)
            if found is not None and not facts.losses and found.causes[0] in _OF_RESULTS:
                return _likely(found, facts)  # it may lie beside the way to the loss as well
            return found
        return None

    def _of_a_loss_that_is_gone(self, facts: Facts) -> Found | None:
        """What the trace tells of the last pass; likely only, since there is no graph left that could decide."""
        done = [event for event in self.trace.events("backward") if event.facts["raised"] is None]
        if facts.losses or not done:
            return None
        history = History(self.trace, done[-1].facts["root_ops"])
        if history.way(self.trace.states(facts.tensor)).arrives:
            return None
        found = unreached.unreached(self.trace, facts, history)
        if found is None or found.certainty == "open":
            return None
        return _likely(found, facts)

    def _placed(self, facts: Facts) -> tuple[Finding, ...]:
        """The symptoms, with the line where requires_grad was set on the loss."""
        set_at = [
            event.site
            for loss in facts.losses
            for event in self.trace.events("requires_grad", loss)
            if event.facts["on"]
        ]
        place = location(set_at[-1]) if set_at else None
        return tuple(replace(one, location=place) if one.cause.id == "loss_patched" else one for one in symptoms(facts))


_OF_RESULTS = ("not_a_leaf", "shadowed_leaf")


def _likely(found: Found, facts: Facts) -> Found:
    return Found(tuple(replace(one, certainty="likely") for one in found.findings), "likely", candidates(facts))
