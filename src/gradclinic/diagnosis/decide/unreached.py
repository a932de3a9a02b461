"""Why the graph of the loss does not reach a tensor, or why nobody asked for its gradient."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch

from ..diagnosis import Certainty, Finding
from ..record.views import Event, Op, Source
from ..trace import Trace, is_live
from .delivery import missing
from .facts import Facts
from .found import Found, Pairs, cut, of_cuts, proved, root
from .history import History, Step
from .left import came_back, stayed_outside
from .places import location
from .source import is_attribute


def unreached(trace: Trace, facts: Facts, history: History) -> Found | None:
    """A tensor that requires grad, and a loss whose graph does not lead to it."""
    if not history.starts:
        return None
    states = trace.states(facts.tensor)
    if not facts.tensor.is_leaf and (edited := _edited_later(history, states)) is not None:
        return edited
    way = history.way(states)
    written = _written(trace, history, states)
    lost = [*written, *came_back(trace, history, states), *_flagged(trace, facts, way.unrecorded)]
    # a part of what a reentrant checkpoint computes may be cut: that tells nothing of the rest
    cuts = [op for op in way.cuts if not (way.arrives and trace.inside_checkpoint(op))]
    if cuts or lost:
        # behind some cuts there is another one: to repair such a one alone would bring no gradient
        last = [op for op in cuts if history.arrives_after(op)]
        return of_cuts(trace, last or cuts, lost)
    if way.arrives and not history.way(states, frozenset({"checkpoint"})).arrives:
        return missing(trace, facts, history) if facts.state == "none" else None
    if way.arrives:
        return _differentiated_away(history, states)
    if way.used or facts.state != "none":
        return None
    return _property(states) or _never_used(trace, facts, history, states)


def _edited_later(history: History, states: Sequence[Step]) -> Found | None:
    """The loss took an earlier state of this tensor, and an in-place operation came after that."""
    if not states or states[-1] in history:
        return None
    for state, change in zip(reversed(states[:-1]), reversed(states[1:]), strict=True):
        if history.way([state]).arrives and isinstance(change, Op):
            text = f"`{change.name}` changed it in place after the loss had used the value before."
            return proved("modified_after_use", text, location(change.site))
    return None


def _written(trace: Trace, history: History, states: Sequence[Step]) -> list[Finding]:
    """Writes without history, such as an update under no_grad, to a tensor that the loss uses."""
    found: list[Finding] = []
    for event in trace.events("edited"):
        target = event.target() if event.target is not None else None
        if target is None or not any(one in history for one in trace.states(target)):
            continue
        given = event.facts["inputs"] if "inputs" in event.facts else _same_line(trace, event)
        given = [one for one in given if one not in states]  # a tensor's own initialisation
        way = History(trace, given).way(states)
        sure: Certainty = "proved" if "inputs" in event.facts else "likely"
        found += [replace(cut(trace, op), certainty=sure) for op in way.cuts]
        if way.arrives:
            text = f"`{event.facts['op']}` wrote the value in place, and nothing was recorded."
            cause = "detached" if event.facts["through"] else "grad_mode_off"
            lost = _used_later(history, event, [one.index for one in given if one.index in way.steps])
            found.append(replace(root(cause, text, location(event.site), lost=lost), certainty=sure))
    return found


def _used_later(history: History, event: Event, given: Iterable[int]) -> Pairs:
    """What was written, and the operations on the way to the loss that used the tensor after it."""
    target = event.target() if event.target is not None else None
    states = history.trace.states(target) if isinstance(target, torch.Tensor) else []
    users = [op.index for state in states for op, _ in history.users.get(state.index, ()) if op.index >= event.index]
    return tuple((value, user) for value in given for user in users)


def _same_line(trace: Trace, event: Event) -> list[Op]:
    """What the line of a write has computed just before it."""
    near = [op for op in trace.ops() if event.index - 8 <= op.index <= event.index]
    return [op for op in near if (op.site.file, op.site.line) == (event.site.file, event.site.line)]


def _property(states: Sequence[Step]) -> Found | None:
    """A result that is computed anew each time an attribute is read, such as a parametrized weight."""
    made = states[-1] if states else None
    if not isinstance(made, Op) or made.name in _ATTRIBUTES or not is_attribute(made.site):
        return None
    text = "Reading this attribute computes it anew each time: it is a result, not a parameter."
    return proved("not_a_leaf", text, location(made.site))


_ATTRIBUTES = frozenset({"T", "mT", "H", "mH", "real", "imag", "data", "grad"})


def _flagged(trace: Trace, facts: Facts, unrecorded: Iterable[Op]) -> list[Finding]:
    """Operations that used a leaf before requires_grad was switched on."""
    late = tuple(unrecorded)
    first = next(iter(late), None)
    if first is None or not facts.tensor.is_leaf:
        return []
    switched = [
        event
        for event in trace.events("requires_grad", facts.tensor)
        if event.facts["on"] and event.index > first.index
    ]
    if not switched:
        return []
    text = f"requires_grad was switched on here, after `{first.name}` had used the tensor without it."
    states = {one.index for one in trace.states(facts.tensor)}
    lost = tuple((one.index, op.index) for op in late for one in op.inputs if one.index in states)
    return [root("flag_too_late", text, location(switched[0].site), location(first.site), lost=lost)]


def _differentiated_away(history: History, states: Sequence[Step]) -> Found | None:
    """Every way leads through a derivative that does not depend on this tensor."""
    if history.way(states, frozenset({"autograd.grad"})).arrives:
        return None
    text = "The loss uses a derivative, and that derivative does not depend on this tensor."
    return proved("unused", text, location(states[0].site) if states else None)


def _never_used(trace: Trace, facts: Facts, history: History, states: Sequence[Step]) -> Found | None:
    """Not on the way to the loss: proved unless something that feeds the loss may have come from it unseen."""
    if not trace.complete or not states:
        return None
    if any(_is_written(event, trace, history) for event in trace.events("edited")):
        return None
    if not stayed_outside(trace, history, states):
        return None  # it may have come back into a tensor that was there already
    born = states[0].index if isinstance(states[0], Op) else 0
    if any(_may_hide(source, born) for source in history.sources):
        return None
    if facts.tensor.is_leaf:
        return proved("unused", "No operation on the way to the loss used it.", location(states[0].site))
    text = "It was made beside the way: the loss was computed without it."
    return proved("off_the_path", text, location(states[-1].site))


def _is_written(event: Event, trace: Trace, history: History) -> bool:
    """Whether a write without history changed what the loss uses, by values that the trace does not know."""
    target = event.target() if event.target is not None else None
    known = "inputs" in event.facts
    return target is not None and not known and any(one in history for one in trace.states(target))


def _may_hide(source: Source, born: int) -> bool:
    """Whether the value of a source may come from a tensor that exists since `born`, by a way that was not seen."""
    if not source.index or source.kind == "unknown":
        return True
    return source.index > born


def unasked(trace: Trace, facts: Facts, history: History) -> Found | None:
    """A tensor that does not require grad."""
    tensor, states = facts.tensor, trace.states(facts.tensor)
    made = states[-1] if states else None
    if not (tensor.is_floating_point() or tensor.is_complex()):
        text = f"A tensor of type {str(tensor.dtype).removeprefix('torch.')} cannot carry a gradient."
        return proved("integer_dtype", text, location(made.site) if isinstance(made, Op) else None)
    if isinstance(made, Op) and made.name == "detach_" and any(_tracked(one) for one in states[:-1] if one in history):
        text = "`detach_` took its history away after the loss had used it."
        return proved("modified_after_use", text, location(made.site))
    off = [event for event in trace.events("requires_grad", tensor) if not event.facts["on"]]
    if off:
        text = "requires_grad was switched off here."
        cause = "frozen" if isinstance(tensor, torch.nn.Parameter) else "requires_grad_false"
        return proved(cause, text, location(off[-1].site))
    if not isinstance(made, Op):
        return None
    if isinstance(tensor, torch.nn.Parameter) and any(
        isinstance(one, Op) and one.name == "Parameter" for one in states
    ):
        if not is_live(trace):  # it may have been switched off after the trace
            return proved("frozen", "The parameter has requires_grad False.", None)
        return proved("frozen", "The parameter was made with requires_grad False.", location(made.site))
    cuts, whole, numbers = behind(trace, made)
    if cuts:
        return of_cuts(trace, cuts)
    if whole and not numbers and trace.complete and trace.uses(made):  # torch.func uses it unseen
        text = "It was made without requires_grad, from nothing that has it."
        return proved("requires_grad_false", text, location(made.site))
    return None


def _tracked(step: Step) -> bool:
    return step.tracked_out if isinstance(step, Op) else step.kind != "constant"


def behind(trace: Trace, start: Step) -> tuple[list[Op], bool, bool]:
    """The cuts that an untracked value lies behind, nearest first; whether all of its origin is known; whether a part
    of it may be made of numbers that left PyTorch."""
    cuts: list[Op] = []
    whole = True
    made: set[int] = set()
    seen, queue = {start.index}, deque([start])
    while queue:
        step = queue.popleft()
        if isinstance(step, Source):
            whole = whole and step.kind == "leaf"
        elif step.cut is not None:
            cuts.append(step)
        else:
            made.add(step.index)
            fresh = {one.index: one for one in step.inputs if one.index not in seen}
            seen.update(fresh)
            queue.extend(fresh.values())
    numbers = any(one.op.index in made for event in trace.events("left_torch") for one in trace.reentries(event))
    return cuts, whole, numbers
