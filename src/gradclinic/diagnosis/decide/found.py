"""What a look at the trace has found: findings that name causes, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...causes import CAUSES
from ..diagnosis import Certainty, Finding, Location
from ..record.views import Event, Op
from ..trace import Trace
from .places import location
from .source import in_generator


@dataclass(frozen=True)
class Found:
    """findings: the first is what to repair first. others: further causes that fit, unless it is proved.

    said: without any finding, what was seen in words: the catalogue has no cause for it, or it may be as it should.
    harmless: what was found describes what is there, and needs no repair.
    """

    findings: tuple[Finding, ...]
    certainty: Certainty
    others: tuple[str, ...] = ()
    said: str = ""
    harmless: bool = False

    @property
    def causes(self) -> tuple[str, ...]:
        """The cause when it is proved; else that of every finding."""
        ids = [one.cause.id for one in self.findings]
        return (ids[0],) if self.certainty == "proved" else tuple(dict.fromkeys(ids))


Pairs = tuple[tuple[int, int], ...]


def proved(cause: str, text: str, place: Location | None, *also: Location | None, lost: Pairs = ()) -> Found:
    return Found((root(cause, text, place, *also, lost=lost),), "proved")


def root(cause: str, text: str, place: Location | None, *also: Location | None, lost: Pairs = ()) -> Finding:
    known = tuple(one for one in also if one is not None)
    return Finding(CAUSES[cause], "root", "proved", text, place, known, lost=lost)


def of_cuts(trace: Trace, cuts: Iterable[Op], lost: Iterable[Finding] = ()) -> Found | None:
    """One finding for each source line that cut; several causes at once leave open which one to repair first."""
    findings: dict[tuple[str, Location | None], Finding] = {}
    for one in (*(cut(trace, op) for op in cuts), *lost):
        same = findings.setdefault((one.cause.id, one.location), one)
        if same is not one:
            findings[one.cause.id, one.location] = replace(same, lost=(*same.lost, *one.lost))
    everything = tuple(findings.values())
    if not everything:
        return None
    if all(one.certainty == "likely" for one in everything):
        return Found(everything, "likely", ("unused",))
    several = len({one.cause.id for one in everything if one.certainty == "proved"}) > 1
    sure = all(one.certainty == "proved" for one in everything)
    return Found(everything, "open" if several else "proved" if sure else "likely")


_SAID = {
    "detached": "`{name}` gave the value without its history.",
    "left_torch": "`{name}` took the value as a number; its result starts anew, without history.",
    "rewrapped": "`{name}` built a new tensor from the value; the gradient ends there.",
    "not_differentiable": "`{name}` has no derivative with respect to this input; its result does not require grad.",
    "no_create_graph": "The gradient used here was taken without create_graph=True and has no history.",
    "checkpoint_cut": "This reentrant checkpoint gave a result without history.",
}
_NAMES = {"data": ".data", "grad": ".grad"}


def cut(trace: Trace, op: Op) -> Finding:
    """The finding of one operation at which autograd stopped following."""
    return replace(_cut(trace, op), lost=((0, op.index),))


def _cut(trace: Trace, op: Op) -> Finding:
    cause = op.cut or "detached"
    if cause == "detached" and _makes_a_leaf(trace, op):
        text = (
            f"`{_NAMES.get(op.name, op.name)}` took the value here to make a new leaf of it; the gradient ends there."
        )
        return root("rewrapped", text, location(op.site))
    if cause == "grad_mode_off":
        return _mode_off(trace, op)
    text = _SAID[cause].format(name=_NAMES.get(op.name, op.name))
    return root(cause, text, location(op.site))


def _makes_a_leaf(trace: Trace, op: Op) -> bool:
    """Whether the same line made a leaf of the bare value: requires_grad set on it, a parameter, a deep copy."""
    line = (op.site.file, op.site.line)
    switched = (one for one in trace.events("requires_grad") if one.facts["on"] and one.index > op.index)
    if any((one.site.file, one.site.line) == line and one.index <= op.index + _NEAR for one in switched):
        return True
    seen = {op.index}
    for row in range(op.index + 1, min(op.index + _NEAR + 1, trace.rows.end)):
        later = trace.view(row)
        if isinstance(later, Op) and any(one.index in seen for one in later.inputs):
            if (later.site.file, later.site.line) != line or later.tracked_in:
                continue
            if later.tracked_out:
                return True
            seen.add(later.index)
    return False


_NEAR = 8  # operations that a copy takes


def _mode_off(trace: Trace, op: Op) -> Finding:
    switch = _switch(trace, op)
    text = f"`{op.name}` ran while gradients were switched off, so nothing was recorded."
    if op.inference:
        text = f"`{op.name}` ran in inference_mode, so nothing was recorded."
    if switch is None:
        return root("grad_mode_off", text, location(op.site))
    if switch.site.function != op.site.function and in_generator(switch.site):
        text += " The generator had switched them off here, and has not ended yet."
        return root("grad_mode_off", text, location(switch.site), location(op.site))
    here, there = location(op.site), location(switch.site)
    same = here is not None and there is not None and (here.file, here.line) == (there.file, there.line)
    return root("grad_mode_off", text, here, None if same else there)


def _switch(trace: Trace, op: Op) -> Event | None:
    """The last time before the operation that gradients were switched, if that was off."""
    before = [event for event in trace.events("grad_mode") if event.index <= op.index]
    return before[-1] if before and not before[-1].facts["on"] else None
