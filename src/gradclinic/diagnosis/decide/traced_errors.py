"""The root behind an error of autograd, as far as the trace carries it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import torch

from ..diagnosis import Finding, Location
from ..record.views import Event, Op, Source
from ..trace import Trace
from .found import cut, root
from .history import History, Step
from .places import location
from .traced import Inquiry
from .unreached import behind


def root_of(said: str, error: BaseException, place: Location | None, trace: Trace) -> Finding | None:
    """The finding to repair first; None where the message already says all, or the trace says nothing more."""
    look = _LOOK.get(said)
    return look(trace, error, place) if look is not None else None


def _failed_pass(trace: Trace, error: BaseException) -> Event | None:
    """The pass that raised this error: the last one, and its message must be the same."""
    passes = [event for event in trace.events() if event.kind in ("backward", "autograd_grad")]
    if not passes or not passes[-1].facts["raised"]:
        return None
    return passes[-1] if str(error)[:60] in passes[-1].facts["raised"] else None


def _starts(trace: Trace, event: Event) -> list[Step]:
    if event.kind == "backward":
        return list(event.facts["root_ops"])
    return [made for one in _alive(event.facts["outputs"]) if (made := trace.maker(one)) is not None]


def _alive(refs: Iterable[Callable[[], torch.Tensor | None]]) -> list[torch.Tensor]:
    return [tensor for ref in refs if (tensor := ref()) is not None]


def _no_graph(trace: Trace, error: BaseException, place: Location | None) -> Finding | None:
    """A loss without history: proved where a single cause lies behind it, and nothing was frozen or left unasked."""
    event = _failed_pass(trace, error)
    if event is None:
        return None
    found: dict[Finding, bool] = {}
    doubt, foreign = not trace.complete, False
    for start in _starts(trace, event):
        cuts, _, numbers = behind(trace, start)
        history = History(trace, [start])
        if not cuts and not numbers and (one := _switched(trace, history)) is not None:
            return one
        doubt = doubt or numbers or any(_is_frozen(history, step) for step in history.steps.values())
        doubt = doubt or any(source.kind == "unknown" for source in history.sources)
        foreign = foreign or any(source.kind == "constant" for source in history.sources)
        found |= {cut(trace, op): _severs_a_parameter(trace, op) for op in cuts}
    if len({one.cause.id for one in found}) > 1 or foreign:  # a cut of what nobody trains is there on purpose
        found, doubt = {one: True for one, severs in found.items() if severs}, doubt or len(found) > 1
    if len({one.cause.id for one in found}) != 1:
        return None
    first = next(iter(found))
    return replace(first, certainty="likely") if doubt else first


def _severs_a_parameter(trace: Trace, op: Op) -> bool:
    behind_it = (trace.tensor(one) for one in trace.ancestors(op) if not isinstance(one, Op) or one.name == "Parameter")
    return any(isinstance(one, torch.nn.Parameter) for one in behind_it)


def _switched(trace: Trace, history: History) -> Finding | None:
    """A flag that came too late, or that was set on a module, where nothing was cut."""
    for step in history.steps.values():
        tensor = trace.tensor(step)
        if tensor is None or not history.users.get(step.index):
            continue
        used = min(user.index for user, _ in history.users[step.index])
        late = [one for one in trace.events("requires_grad", tensor) if one.facts["on"] and one.index > used]
        if late and tensor.requires_grad:
            text = "requires_grad was switched on here, after the loss had used the tensor without it."
            return root("flag_too_late", text, location(late[0].site))
    frozen = {id(one) for step in history.steps.values() if (one := trace.tensor(step)) is not None}
    for entry in trace.modules:
        module = entry[0]() if entry is not None else None
        if module is None or not vars(module).get("requires_grad"):
            continue
        if any(id(one) in frozen and not one.requires_grad for one in module.parameters()):
            text = f"`requires_grad` is a plain attribute of this {type(module).__name__}; its parameters are frozen."
            return root("flag_on_module", text, None)
    return None


def nothing_was_cut(trace: Trace, error: BaseException) -> bool:
    """Whether the loss that has no graph came from recorded operations alone, none of which cut anything."""
    event = _failed_pass(trace, error)
    if event is None or not trace.complete:
        return False
    for start in _starts(trace, event):
        cuts, _, numbers = behind(trace, start)
        history = History(trace, [start])
        if cuts or numbers or any(source.kind == "unknown" for source in history.sources):
            return False
        if history.sources or trace.events("left_torch") or trace.events("edited"):
            return False
    return True


def _inference(trace: Trace, error: BaseException, place: Location | None) -> Finding | None:
    """Where the tensor was made that autograd met: named where only one line fits."""
    made = [op for op in trace.ops() if op.inference and trace.tensor(op) is not None]
    places = list(dict.fromkeys(location(op.site) for op in made))
    if len(places) != 1:
        return None
    text = "Autograd met a tensor here that was made in inference_mode."
    return root("inference_tensor", text, place, places[0])


def _is_frozen(history: History, step: Step) -> bool:
    """Whether a step is a parameter that was used while it did not require grad."""
    tensor = history.trace.tensor(step)
    made = isinstance(tensor, torch.nn.Parameter) or (isinstance(step, Op) and step.name == "Parameter")
    return made and any(not tracked for _, tracked in history.users.get(step.index, ()))


def _not_reached(trace: Trace, error: BaseException, place: Location | None) -> Finding | None:
    """`autograd.grad` was asked for a tensor that its outputs do not lead to: why that one is not reached."""
    event = _failed_pass(trace, error)
    if event is None or event.kind != "autograd_grad":
        return None
    inquiry = Inquiry(trace, _alive(event.facts["outputs"]))
    for tensor in _alive(event.facts["inputs"]):
        finding = inquiry.root(tensor)
        if finding is not None:
            return finding
    return None


def _freed(trace: Trace, error: BaseException, place: Location | None) -> Finding | None:
    """The pass that freed the graph comes before the one that raised."""
    done = [event for event in trace.events("backward") if event.facts["raised"] is None]
    failed = _failed_pass(trace, error)
    if not done or failed is None:
        return None
    needed = set(History(trace, _starts(trace, failed)).steps)
    freed = [event for event in done if not event.facts["retain_graph"] and _shares(trace, event, needed)]
    if not freed:
        return None
    text = "This backward() freed a graph that a later one needed."
    return root("graph_freed", text, location(freed[-1].site), place)


def _shares(trace: Trace, event: Event, needed: set[int]) -> bool:
    """Whether a pass went through a recorded operation that another one needs."""
    steps = History(trace, _starts(trace, event)).steps
    return any(isinstance(step, Op) and step.tracked_out for index, step in steps.items() if index in needed)


def _changed(trace: Trace, error: BaseException, place: Location | None) -> Finding | None:
    """The in-place operation on a value that the graph had saved: named where only one line fits."""
    event = _failed_pass(trace, error)
    if event is None:
        return None
    history = History(trace, _starts(trace, event))
    maker = re.search(r"output \d+ of (\w+)", str(error))
    wanted = (
        re.sub(r"backward\d*$", "", maker[1].lower()) if maker else None
    )  # torch writes Sigmoid, or SigmoidBackward0
    steps = [op for op in trace.ops() if op.in_place and op.inputs and _was_saved(history, op)]
    exact = [op for op in steps if wanted and isinstance(op.inputs[0], Op) and _plain(op.inputs[0].name) == wanted]
    fits: list[Op | Event] = [*(exact or steps)]
    if not fits:
        fits += [one for one in trace.events("edited") if one.index <= event.index]
        fits = fits[-1:]
        leaves = {id(one) for step in history.steps.values() if (one := trace.tensor(step)) is not None}
        fits += [one for one in trace.events("optimizer_step") if one.facts["held"] & leaves]
    places = list(dict.fromkeys(location(one.site) for one in fits))
    if len(places) != 1:
        return None
    text = "This changed a value that the backward pass needs as it was."
    return root("inplace_on_saved", text, places[0], place)


def _detached_later(trace: Trace, error: BaseException, place: Location | None) -> Finding | None:
    """`detach_()` on a value that the graph had saved."""
    event = _failed_pass(trace, error)
    history = History(trace, _starts(trace, event)) if event is not None else None
    at = [op for op in trace.ops() if op.name == "detach_" and op.inputs and history and op.inputs[0] in history]
    if len(at) != 1:
        return None
    text = "`detach_` took the history of a value that the graph had saved."
    return root("modified_after_use", text, location(at[0].site), place)


def _plain(name: str) -> str:
    return name.strip("_").replace("_", "")


def _was_saved(history: History, change: Op) -> bool:
    """Whether the graph holds the value from before a change: by an operation that took it, or that made it."""
    before = change.inputs[0]
    taken = any(user.index < change.index for user, _ in history.users.get(before.index, ()) if user != change)
    return before in history and (taken or not isinstance(before, Source))


_LOOK: dict[str, Callable[[Trace, BaseException, Location | None], Finding | None]] = {
    "loss_has_no_graph": _no_graph,
    "unused": _not_reached,
    "requires_grad_false": _not_reached,
    "graph_freed": _freed,
    "inplace_on_saved": _changed,
    "modified_after_use": _detached_later,
    "inference_tensor": _inference,
}
