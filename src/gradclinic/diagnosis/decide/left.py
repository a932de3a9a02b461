"""Values that left PyTorch as numbers, lists or arrays: whether and where they came back into the loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..diagnosis import Finding
from ..record.site import Site
from ..record.views import Event, Op
from ..trace import Trace
from .flow import flows
from .found import cut, root
from .history import History, Step, descends
from .places import location

_NUMBERS = frozenset({"item", "tolist", "float", "int", "index", "complex", "long", "format", "repr"})


def came_back(trace: Trace, history: History, states: Sequence[Step]) -> list[Finding]:
    """Both ends of a way out of PyTorch and back; the same object handed back is proof, names make it likely."""
    findings: list[Finding] = []
    tried: set[Site] = set()
    for event in _departures(trace, states):
        sure = [one for one in trace.reentries(event) if one.proved and one.op in history]
        if sure:
            text = f"`{event.facts['how']}` handed the value out of PyTorch, and it was handed back, without history."
            findings.append(_or_before(trace, event, states, text, sure[0].op))
        elif event.site not in tried and (back := _carried_to(history, event)) is not None:
            text = (
                f"The value left PyTorch at {_line(event.site)}; a new tensor that the loss uses was made at "
                f"{_line(back.site)}; what happens between is not traced."
            )
            one = _or_before(trace, event, states, text, back)
            findings.append(replace(one, certainty="likely"))
        tried.add(event.site)
    certain = {one.location: one for one in findings if one.certainty == "proved"}
    return list(certain.values()) or findings[:1]


def _departures(trace: Trace, states: Sequence[Step]) -> Iterator[Event]:
    """The times when the value of a tensor, or something computed from it, left PyTorch."""
    for event in trace.events("left_torch"):
        out = event.facts.get("op")
        untracked = not event.facts.get("tracked", True) and not isinstance(out, Op)
        if out is not None and not untracked and descends(trace, out, states):
            yield event


def _or_before(trace: Trace, event: Event, states: Sequence[Step], text: str, back: Step) -> Finding:
    """The departure, unless the gradient was lost before: by an operation that has no derivative."""
    way = History(trace, [event.facts["op"]]).way(states)
    if not way.arrives and way.cuts and all(op.cut == "not_differentiable" for op in way.cuts):
        return cut(trace, way.cuts[0])
    lost = ((event.facts["op"].index, back.index),)
    return root("left_torch", text, location(event.site), location(back.site), lost=lost)


def _carried_to(history: History, event: Event) -> Op | None:
    """The first operation on the way to the loss that read, by the names at its place, what had left."""
    for site, op in history.last_at.items():
        if op.index >= event.index and flows(event.site, site):
            return op
    return None


def stayed_outside(trace: Trace, history: History, states: Sequence[Step]) -> bool:
    """Whether nothing that left PyTorch can have come back: by the names in the source it was printed, or kept."""
    for event in _departures(trace, states):
        if event.facts["how"] not in _NUMBERS:
            return False  # memory may be shared
        if any(flows(event.site, site) is not False for site in history.last_at):
            return False
    return True


def _line(site: Site) -> str:
    return f"line {site.line}" if site.line is not None else "an unknown line"
