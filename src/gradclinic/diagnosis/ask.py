"""The question: diagnose(target, loss)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from ..causes import CAUSES
from .breaks import AS_WELL
from .decide import decide
from .diagnosis import Diagnosis, Finding
from .model import decide_module
from .path import with_path
from .reach import reached, unrecorded
from .registry import is_left_over
from .trace import Trace, current
from .traced import Inquiry

Target = torch.Tensor | torch.nn.Module
Loss = torch.Tensor | Sequence[torch.Tensor] | None


def diagnose(target: Target, loss: Loss = None, *, optimizer: torch.optim.Optimizer | None = None) -> Diagnosis:
    """Says why the gradient of a tensor, or of each parameter of a module, is None, zero or wrong.

    loss: the tensor that `backward()` is called on, or several; None takes the last one that the trace has seen.
    Inside `with trace():`, or after it, the answer names the line. Nothing is changed: neither the graph, nor `.grad`,
    nor hooks. Raises TypeError for anything that is neither a tensor nor a module; a failure of the diagnosis itself
    is reported as such and raises nothing.
    """
    swapped = isinstance(loss, torch.nn.Module) and isinstance(target, torch.Tensor)
    if swapped:
        target, loss = loss, target  # type: ignore[assignment]
    losses = _losses(loss)
    if not isinstance(target, (torch.Tensor, torch.nn.Module)):
        raise TypeError(f"diagnose() takes a tensor or a module as its target, not {_kind(target)}")
    try:
        trace = current()
        with unrecorded():
            answer = _ask(target, losses, optimizer, trace)
    except Exception as failure:
        return failed(failure)
    return replace(answer, notes=(_SWAPPED, *answer.notes)) if swapped else answer


_SWAPPED = "The two arguments were swapped: diagnose(target, loss) takes the loss second."


def _losses(loss: Loss) -> tuple[torch.Tensor, ...]:
    if loss is None:
        return ()
    several = (loss,) if isinstance(loss, torch.Tensor) else tuple(loss) if isinstance(loss, (list, tuple)) else None
    if several is None or not all(isinstance(one, torch.Tensor) for one in several):
        raise TypeError(
            f"diagnose() takes a tensor, or several, as the loss, not {_kind(loss)}: a number has left PyTorch"
        )
    return several


def _kind(thing: object) -> str:
    return f"a {type(thing).__name__}"


def _ask(
    target: Target, losses: tuple[torch.Tensor, ...], optimizer: torch.optim.Optimizer | None, trace: Trace | None
) -> Diagnosis:
    if trace is not None and not losses:
        losses = tuple(trace.last_roots())
    choose = Inquiry(trace, losses).decide if trace is not None else decide
    if isinstance(target, torch.nn.Module):
        return _with_paths(decide_module(target, losses, optimizer, choose), target, losses, trace)
    if len(losses) == 1 and _are_swapped(target, losses[0]):
        ask = Inquiry(trace, (target,)).decide if trace is not None else decide
        answer = with_path(ask(losses[0], (target,), None), losses[0], (target,), trace)
        return replace(answer, notes=(_SWAPPED, *answer.notes))
    answer = with_path(choose(target, losses, None), target, losses, trace)
    answer = replace(answer, notes=(*answer.notes, *_later_cuts(answer)))
    if optimizer is None or (trace is not None and _was_moved(target, trace)):
        return answer
    return unheld(target, losses, answer, optimizer)


def _was_moved(tensor: torch.Tensor, trace: Trace) -> bool:
    """Whether an optimizer that holds it has stepped, be it another one than the one that is asked about."""
    return any(id(tensor) in event.facts["held"] for event in trace.events("optimizer_step"))


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


def _later_cuts(answer: Diagnosis) -> list[str]:
    """Where autograd stops once more, beyond the line that the answer names: what a repair meets next."""
    places = [place for one in answer.findings for place in (one.location, *one.also) if place is not None]
    told = {f"{Path(place.file).name}:{place.line}" for place in places}
    nodes = answer.path.nodes if answer.path else ()
    stops = [node for node in nodes if (node.broken and node.kind == "operation") or node.missing == AS_WELL]
    later = [f"{node.name} ({node.what})" for node in stops if node.what.split(" in ")[0] not in told]
    named = bool(places) and not answer.ok and answer.certainty != "open"
    return [f"After that, autograd stops again at {', '.join(later[::-1])}."] if later and named else []


_MOST_GROUPS = 8  # whose further way is followed; each costs a look through the whole trace


def _are_swapped(target: torch.Tensor, loss: torch.Tensor) -> bool:
    """Whether the graph of the target reaches the loss and not the other way round."""
    if target is loss or target.is_leaf or not loss.requires_grad:
        return False
    return reached([loss], [target]) == [False] and reached([target], [loss]) == [True]


def failed(failure: Exception) -> Diagnosis:
    return Diagnosis(
        state="error",
        ok=False,
        summary=f"The diagnosis itself failed, and nothing of yours was changed: {type(failure).__name__}: {failure}",
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
    left_over = any(hit is False and is_left_over(one) for one, hit in zip(idle[:_MOST], used, strict=False))
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


_MOST = 4  # entries of the optimizer for which everything alive is looked through
