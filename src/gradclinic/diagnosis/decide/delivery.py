"""What became of the gradient of a tensor that the loss reaches: never computed, cleared, kept elsewhere, added up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import torch

from ...causes import from_message
from ..record.views import Event, Op
from ..trace import Trace, is_live
from . import edits, flat, values, zeros
from .facts import Facts
from .found import Found, proved, root
from .history import FLAT, History, Step, order
from .places import location
from .shadow import shadows


def missing(trace: Trace, facts: Facts, history: History) -> Found | None:
    """`.grad` is None although the loss reaches the tensor, or no loss is known."""
    tensor, states = facts.tensor, trace.states(facts.tensor)
    if not facts.keeps_gradient:
        return _no_leaf(states[-1] if states else None)
    if _pass_is_running():
        text = "The backward pass is still running: this was asked in a hook."
        return proved("no_backward", text, None)
    passes = [event for event in trace.events("backward") if _reaches(history, event, tensor, states)]
    done = [event for event in passes if event.facts["raised"] is None]
    if facts.losses and done and not any(_goes_through(history, event) for event in done):
        text = "No backward pass has gone through the graph of this loss."
        return proved("no_backward", text, None) if is_live(trace) and trace.complete else None
    cleared = [event for event in trace.events("grad_cleared", tensor) if event.facts["how"] == "None"]
    if cleared and done and _came_after(cleared[-1], done[-1], history, states):
        return proved("grad_cleared", "The gradient was cleared here, after backward().", location(cleared[-1].site))
    if not tensor.is_leaf and done:
        kept = [event for event in trace.events("retain_grad", tensor) if event.facts["raised"] is None]
        if kept and _came_after(kept[0], done[-1], history, states):
            text = "retain_grad() came here, after backward() had passed."
            return proved("retained_late", text, location(kept[0].site), location(done[-1].site))
    return _undelivered(trace, facts, history, states, passes, done)


def _goes_through(history: History, event: Event) -> bool:
    """Whether a pass started from the losses, or from what was computed of them."""
    passed = history.of_pass(event)
    return any(index in passed.steps for index in history.starts) or not history.starts


def _came_after(event: Event, done: Event, history: History, states: Sequence[Step]) -> bool:
    """Whether it happened after a pass. With nothing in between the order is not known: then only where the pass must
    have delivered a gradient, since no custom Function is on the way."""
    if order(event) != order(done):
        return order(event) > order(done)
    return history.way(states, frozenset({"apply"})).arrives


def _pass_is_running() -> bool:
    """Whether this thread is inside a backward pass; torch says so by a private function, where it has it."""
    task = getattr(torch._C, "_current_graph_task_id", None)
    return task is not None and task() != -1


def _undelivered(
    trace: Trace, facts: Facts, history: History, states: Sequence[Step], passes: list[Event], done: list[Event]
) -> Found | None:
    tensor = facts.tensor
    elsewhere = [event for event in done if not _may_fill(event, tensor)]
    if done and len(elsewhere) == len(done):
        text = "backward(inputs=...) fills the gradient of the tensors that it names, and of no other."
        return proved("functional_grad", text, location(done[-1].site))
    if done:
        return _lost_in_function(trace, tensor, history, states, done[-1])
    asked = [event for event in trace.events("autograd_grad") if _has(event.facts["inputs"], tensor)]
    answered = [event for event in asked if event.facts["raised"] is None]
    if answered:
        text = "autograd.grad returned the gradient here and left .grad alone."
        return proved("functional_grad", text, location(answered[-1].site))
    if passes:
        return _raised(passes[-1])
    if not is_live(trace) or not trace.complete:
        return None
    if not facts.losses and trace.events("backward"):
        return None  # a pass has run, and what it started from is gone: it may have been cut off from the tensor
    reads = [event for event in trace.events("grad_read", tensor) if event.facts["none"]]
    text = "No backward pass that leads to it has run in this trace."
    return proved("no_backward", text, location(reads[-1].site) if reads else None)


def _no_leaf(made: Step | None) -> Found | None:
    if not isinstance(made, Op):
        return None
    hidden = shadows(made)
    if hidden is None:
        return None
    if hidden:
        text = f"The name was given to the result of `{made.name}` here; the leaf behind it gets the gradient."
        return proved("shadowed_leaf", text, location(made.site))
    text = f"`{made.name}` made it here; a result keeps no gradient unless retain_grad() asks for it."
    return proved("not_a_leaf", text, location(made.site))


def _lost_in_function(
    trace: Trace, tensor: torch.Tensor, history: History, states: Sequence[Step], done: Event
) -> Found | None:
    """A pass has run and nothing arrived: a custom Function returned None, if every way goes through one."""
    stepped = any(id(tensor) in one.facts["held"] for one in trace.events("optimizer_step") if one.index >= done.index)
    if stepped or trace.events("hook") or flat.has_hooks(tensor):
        return None  # each of them may have cleared it unseen
    open_way = history.way(states, frozenset({"apply"}))
    if open_way.arrives or not history.way(states).arrives:
        return None
    at = [op for op in history.ops if op.name == "apply" and any(one.index in open_way.steps for one in op.inputs)]
    if not at:
        return None
    text = f"The backward of `{at[-1].detail}` returned None for what leads to this tensor."
    found = proved("backward_returned_none", text, location(at[-1].site), lost=((0, at[-1].index),))
    closed = [op for op in history.ops if op.name == "apply" and op.index in history.way(states).steps]
    return found if len(closed) == 1 else Found((replace(found.findings[0], certainty="likely"),), "likely")


def _raised(event: Event) -> Found | None:
    said = from_message(event.facts["raised"])
    if said is None:
        return None
    return proved(said, f"backward() raised an error here: {event.facts['raised'][:200]}", location(event.site))


def _reaches(history: History, event: Event, tensor: torch.Tensor, states: Sequence[Step]) -> bool:
    if _has(event.facts["roots"], tensor):
        return True
    return history.of_pass(event).way(states).arrives


def _may_fill(event: Event, tensor: torch.Tensor) -> bool:
    named = event.facts["inputs"]
    return named is None or _has(named, tensor)


def _has(refs: Iterable[object] | None, tensor: torch.Tensor) -> bool:
    return any(ref() is tensor for ref in refs or () if callable(ref))


def zero(trace: Trace, facts: Facts, history: History) -> Found | None:
    """All of the gradient is zero."""
    tensor, states = facts.tensor, trace.states(facts.tensor)
    done = _filled(trace, history, tensor, states)
    cleared = [event for event in trace.events("grad_cleared", tensor) if event.facts["how"] == "zero_"]
    if cleared and (not done or order(cleared[-1]) > order(done[-1])):
        text = "The gradient was filled with zeros here, and nothing has come since."
        return proved("grad_cleared", text, location(cleared[-1].site))
    if facts.reached is not True:
        return zeros.asked_with_zeros(trace, facts, history) or unreached_reason(trace, facts, history)
    sloped = history.way(states, FLAT)
    if history.way(states).arrives and not sloped.arrives:
        at = [op for op in history.ops if op.name in FLAT and any(one.index in sloped.steps for one in op.inputs)]
        if at:
            text = f"Every way to the loss goes through `{at[0].name}`, which is flat between its steps."
            return proved("zero_derivative", text, location(at[0].site), lost=((0, at[0].index),))
    return (
        zeros.stood_in(trace, facts, history)
        or edits.edited(trace, facts, history)
        or flat.stopped(trace, facts, history)
    )


def unreached_reason(trace: Trace, facts: Facts, history: History) -> Found | None:
    """There is a gradient, but this loss does not lead to the tensor: why not."""
    from .unreached import unreached  # the two call each other

    return unreached(trace, facts, history) if facts.losses and facts.tensor.requires_grad else None


def _filled(trace: Trace, history: History, tensor: torch.Tensor, states: Sequence[Step]) -> list[Event]:
    """The passes that have added to the gradient of this tensor."""
    return [
        event
        for event in trace.events("backward")
        if event.facts["raised"] is None and _may_fill(event, tensor) and _reaches(history, event, tensor, states)
    ]


def _uses_of_the_sum(trace: Trace, tensor: torch.Tensor, last: Event) -> list[Event]:
    """What shows that a sum of passes was used as if it were one: an optimizer that holds the tensor stepped before
    and after the last of them; or, where there is no optimizer, somebody read the gradient."""
    steps = trace.events("optimizer_step")
    if not steps:
        return [event for event in trace.events("grad_read", tensor) if not _only_measured(trace, event)]
    born = next((one.index for one in trace.states(tensor)), 0)  # an older tensor may have had the same id
    own = [event for event in steps if id(tensor) in event.facts["held"] and event.index > born]
    return own if own and order(own[-1]) >= order(last) else []


def _only_measured(trace: Trace, read: Event) -> bool:
    """Whether a gradient was read for its norm and the like, as a log does."""
    near = range(read.index, min(read.index + 3, trace.rows.end))
    return any(isinstance(op := trace.view(row), Op) and op.name in _MEASURES for row in near)


_MEASURES = frozenset({"norm", "linalg_norm", "linalg_vector_norm", "vector_norm", "abs", "isnan", "isfinite", "mean"})


def present(trace: Trace, facts: Facts, history: History) -> Found | None:
    """There is a gradient; what the trace can say of how it came about."""
    tensor, states = facts.tensor, trace.states(facts.tensor)
    done = _filled(trace, history, tensor, states)
    cleared = trace.events("grad_cleared", tensor)
    since = [event for event in done if not cleared or order(event) > order(cleared[-1])]
    uses = _uses_of_the_sum(trace, tensor, since[-1]) if since else []
    between = [
        event for first, second in pairwise(since) for event in uses if order(first) <= order(event) < order(second)
    ]
    if not between:  # several passes are also how gradients are added up on purpose
        if facts.reached is False:
            return unreached_reason(trace, facts, history)
        return (
            edits.edited(trace, facts, history)
            or edits.broadcast(trace, facts, history)
            or zeros.one_element(trace, facts, history)
            or values.partly_flat(trace, facts, history)
        )
    text = f"It is the sum of {len(since)} backward passes: nothing was cleared between them, and it was used there."
    places = list(dict.fromkeys(location(event.site) for event in reversed(since)))
    return Found((root("accumulated", text, places[0], *places[1:]),), "proved")
