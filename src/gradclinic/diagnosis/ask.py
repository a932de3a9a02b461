"""The question: diagnose(target, loss)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

import torch

from ..causes import CAUSES
from .decide.arguments import SWAPPED, Losses, WrongArgument, checked, in_order
from .decide.model import decide_module
from .decide.reach import reached, unrecorded
from .decide.registry import MOST_LOOKED_FOR, is_left_over
from .decide.tensor import decide
from .decide.traced import Inquiry
from .decide.untraced import CUTS
from .diagnosis import Diagnosis, Finding
from .tell.breaks import AS_WELL
from .tell.path import with_path
from .trace import Trace, current, is_live

Target = torch.Tensor | torch.nn.Module
Loss = torch.Tensor | Sequence[torch.Tensor] | None


def diagnose(target: Target, loss: Loss = None, *, optimizer: torch.optim.Optimizer | None = None) -> Diagnosis:
    """Says why the gradient of a tensor, or of each parameter of a module, is None, zero or wrong.

    loss: the tensor that `backward()` is called on, or several; None takes the last one that the trace has seen.
    optimizer: also looks whether it holds the target. Inside `with trace():`, or after it, the answer names the line.
    Nothing is changed: neither the graph, nor `.grad`, nor hooks. Raises TypeError for arguments of other kinds, and
    says what to write; a failure of the diagnosis itself is reported as such and raises nothing.
    """
    try:
        with unrecorded():
            holder, trace = checked(optimizer), current()
            asked, losses, swapped = in_order(target, loss, trace)
            answer = _ask(asked, losses, holder, trace if trace is not None and _knows(trace, asked, losses) else None)
    except WrongArgument as wrong:
        raise TypeError(str(wrong)) from None
    except Exception as failure:
        return failed(failure)
    return replace(answer, notes=(SWAPPED, *answer.notes)) if swapped else answer


def _knows(trace: Trace, target: Target, losses: Losses) -> bool:
    """Whether it is on, or has met anything of what is asked: the last one may have been about something else."""
    asked = target.parameters() if isinstance(target, torch.nn.Module) else [target]
    return is_live(trace) or any(trace.maker(one) is not None for one in (*losses, *asked))


def _ask(target: Target, losses: Losses, optimizer: torch.optim.Optimizer | None, trace: Trace | None) -> Diagnosis:
    notes: list[str] = []
    if not losses:
        losses, notes = _last_losses(trace)
    choose = Inquiry(trace, losses).decide if trace is not None else decide
    if isinstance(target, torch.nn.Module):
        answer = _with_paths(decide_module(target, losses, optimizer, choose), target, losses, trace)
    else:
        answer = with_path(choose(target, losses, None), target, losses, trace)
        answer = replace(answer, notes=(*answer.notes, *_several_ways(answer), *_later_cuts(answer)))
        if optimizer is not None and not (trace is not None and _was_moved(target, trace)):
            answer = unheld(target, losses, answer, optimizer)
    if optimizer is None and trace is not None and answer.ok:
        notes += _held_by_none(target, trace)
    return replace(answer, notes=(*answer.notes, *notes, *_more_to_see(answer, trace)))


def _last_losses(trace: Trace | None) -> tuple[Losses, list[str]]:
    """What the last backward of the trace started from, if all of it still lives."""
    if trace is None:
        return (), ["No loss was named, and there is no trace: no graph was looked at."]
    passes = trace.passes()
    alive = tuple(root for root in passes[-1] if root is not None) if passes else ()
    if alive and len(alive) == len(passes[-1]):
        return alive, []
    lost = "the loss of the last backward() is gone" if passes else "the trace has seen no backward()"
    return (), [f"No loss was named, and {lost}: no graph was looked at."]


def _more_to_see(answer: Diagnosis, trace: Trace | None) -> list[str]:
    """What a trace, or one that keeps values, would tell where the answer is open."""
    if answer.certainty != "open" or answer.ok:
        return []
    if trace is None and set(CUTS) <= {cause.id for cause in answer.candidates}:
        return ["A cut leaves no mark in the graph: run this inside `with trace():`, and the answer names the line."]
    if trace is not None and not trace.values and answer.state in ("zero", "nonfinite"):
        return ["`with trace(values=True):` also finds the operation where it begins; it costs memory."]
    return []


def _was_moved(tensor: torch.Tensor, trace: Trace) -> bool:
    """Whether an optimizer that holds it has stepped, be it another one than the one that is asked about."""
    return any(id(tensor) in event.facts["held"] for event in trace.events("optimizer_step"))


def _held_by_none(target: Target, trace: Trace) -> list[str]:
    """What has a gradient, and was in no optimizer that has stepped: it did not move by any of them."""
    steps = [event.facts["held"] for event in trace.events("optimizer_step")]
    named = dict(target.named_parameters()) if isinstance(target, torch.nn.Module) else {"it": target}
    idle = [
        name
        for name, one in named.items()
        if one.is_leaf and one.grad is not None and not any(id(one) in held for held in steps)
    ]
    if not steps or not idle:
        return []
    more = f" and {len(idle) - _MOST_NAMES} more" if len(idle) > _MOST_NAMES else ""
    return [f"No optimizer whose step this trace has seen holds {', '.join(idle[:_MOST_NAMES])}{more}."]


def _with_paths(
    answer: Diagnosis, module: torch.nn.Module, losses: tuple[torch.Tensor, ...], trace: Trace | None
) -> Diagnosis:
    """The path of the first parameter that something is wrong with; of the first of each group, what comes after."""
    named = dict(module.named_parameters())
    firsts = dict.fromkeys(finding.names[0] for finding in answer.findings if finding.names)
    shown: Diagnosis | None = None
    notes: list[str] = []
    for name in [name for name in firsts if name in named][:_MOST_GROUPS]:
        one = with_path(answer, named[name], losses, trace, name)
        shown = shown or one
        notes += [f"{name}: {note}" for note in _later_cuts(one)]
    return answer if answer.ok or shown is None else replace(shown, notes=(*answer.notes, *notes))


def _several_ways(answer: Diagnosis) -> list[str]:
    """Where each way to the loss has a cut of its own, the graph does not tell which of them is meant."""
    places = {one.location for one in answer.findings if one.lost and one.certainty == "proved" and one.location}
    if answer.state != "none" or len(places) < 2:
        return []
    lines = ", ".join(place.short for place in sorted(places, key=lambda place: (place.file, place.line or 0)))
    return [
        f"Several ways lead to the loss, and each is cut at a line of its own: {lines}. A cut may be meant, as of a "
        "target or of what an old policy said: repair the way that is to carry the gradient."
    ]


def _later_cuts(answer: Diagnosis) -> list[str]:
    """Where autograd stops once more, beyond the line that the answer names: what a repair meets next."""
    places = [place for one in answer.findings for place in (one.location, *one.also) if place is not None]
    told = {place.short for place in places}
    nodes = answer.path.nodes if answer.path else ()
    stops = [node for node in nodes if (node.broken and node.kind == "operation") or node.missing == AS_WELL]
    later = [f"{node.name} ({node.what})" for node in stops if node.what.split(" in ")[0] not in told]
    named = bool(places) and not answer.ok and answer.certainty != "open"
    return [f"After that, autograd stops again at {', '.join(later[::-1])}."] if later and named else []


_MOST_NAMES = 5  # of parameters in a sentence
_MOST_GROUPS = 8  # whose further way is followed; each costs a look through the whole trace


def failed(failure: Exception) -> Diagnosis:
    """Says nothing of the gradient: every cause that one can have fits."""
    why = textwrap.shorten(f"{type(failure).__name__}: {failure}", 200, placeholder=" …")
    return Diagnosis(
        state="error",
        ok=False,
        summary=f"The diagnosis itself failed, and nothing of yours was changed: {why}",
        candidates=tuple(cause for cause in CAUSES.values() if cause.outcome not in ("wrong", "work")),
        torch_version=str(torch.__version__),
    )


def unheld(
    tensor: torch.Tensor, losses: tuple[torch.Tensor, ...], answer: Diagnosis, optimizer: torch.optim.Optimizer
) -> Diagnosis:
    """Adds what the optimizer says: a tensor that it does not hold never moves by it."""
    entries = [one for group in optimizer.param_groups for one in group["params"]]
    if answer.state != "present" or not answer.ok or any(one is tensor for one in entries):
        return answer
    idle = [one for one in entries if one.grad is None]
    used = reached(losses, idle)
    left_over = any(hit is False and is_left_over(one) for one, hit in zip(idle[:MOST_LOOKED_FOR], used, strict=False))
    text = "The optimizer does not hold this tensor" + (", but a parameter that no module has." if left_over else ".")
    stale = CAUSES["stale_optimizer"]
    return replace(
        answer,
        state="unmoved",
        ok=False,
        summary="There is a gradient. " + text,
        cause=stale if left_over else None,
        certainty="likely" if left_over else "open",
        candidates=(stale, CAUSES["unregistered_parameter"]),
        findings=(Finding(stale, "root", "likely", text),) if left_over else (),
    )
