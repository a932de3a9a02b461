"""A whole module: its parameters grouped by what is the matter, and what is not registered or not held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from ..causes import CAUSES, Cause
from .diagnosis import Diagnosis, Finding, Location, State
from .reach import reached
from .registry import Held, Unregistered, held, matters, unregistered
from .render import some

Decide = Callable[[torch.Tensor, Sequence[torch.Tensor], bool | None], Diagnosis]
_WORST: tuple[State, ...] = ("error", "none", "nonfinite", "zero", "unmoved", "present")


def decide_module(
    model: torch.nn.Module,
    losses: Sequence[torch.Tensor],
    optimizer: torch.optim.Optimizer | None,
    decide: Decide,
) -> Diagnosis:
    """One report: each group of parameters with the same answer is one finding, however many they are."""
    named = dict(model.named_parameters())
    learning = {name: one for name, one in named.items() if one.requires_grad}
    outside = unregistered(model)
    known = reached(losses, list(learning.values())) if losses else [None] * len(learning)
    groups = _groups({name: decide(one, losses, hit) for (name, one), hit in zip(learning.items(), known, strict=True)})
    frozen = len(named) - len(learning)
    missed = [one for one in outside if matters(one, losses, optimizer)]
    registration = [*flags_on_modules(model), *_unregistered(missed)]
    holding = held(model, optimizer, tuple(t for one in outside for t in one.tensors)) if optimizer else None
    if holding and (stale := _stale(holding)):
        registration.append(stale)
    return _report(model, groups, registration, frozen, len(learning), holding)


def _groups(answers: dict[str, Diagnosis]) -> list[tuple[Diagnosis, list[str]]]:
    """Answers that differ in nothing but the tensor, with the names that they are about, the worst state first."""
    found: dict[object, tuple[Diagnosis, list[str]]] = {}
    for name, answer in answers.items():
        places = tuple((one.cause.id, _site(one.location)) for one in answer.findings)
        key = (answer.state, answer.cause, answer.certainty, answer.candidates, places)
        found.setdefault(key, (answer, []))[1].append(name)
    return sorted(found.values(), key=lambda group: _WORST.index(group[0].state))


def _site(place: Location | None) -> Location | None:
    """The line, whichever module ran it: a block that is repeated cuts at one place."""
    return None if place is None else replace(place, module_path="")


def flags_on_modules(model: torch.nn.Module) -> list[Finding]:
    """Modules with an attribute requires_grad, which nothing reads, that says other than their parameters do."""
    text = "`requires_grad` is a plain attribute of the module {}; its parameters keep their own flags."
    return [
        Finding(CAUSES["flag_on_module"], "root", "proved", text.format(name or type(module).__name__))
        for name, module in model.named_modules()
        if "requires_grad" in vars(module)
        and (own := list(module.parameters()))
        and all(one.requires_grad != bool(vars(module)["requires_grad"]) for one in own)  # else somebody reads the flag
    ]


def _unregistered(outside: Sequence[Unregistered]) -> list[Finding]:
    said = {
        "module": "A module in a plain container: its parameters are not in parameters().",
        "leaf": "A tensor that requires grad, as a plain attribute: it is not in parameters().",
        "result": "The result of an operation on a parameter that has no name of its own: neither is in parameters().",
    }
    causes = {"module": "unregistered_parameter", "leaf": "unregistered_parameter", "result": "shadowed_leaf"}
    return [
        Finding(CAUSES[causes[kind]], "root", "proved", said[kind], names=tuple(names))
        for kind in said
        if (names := [one.name for one in outside if one.kind == kind])
    ]


def _stale(holding: Held) -> Finding | None:
    if not (holding.missing and holding.alike):
        return None
    text = (
        f"The optimizer holds {_many(holding.foreign, 'tensor')} that the model does not have, and lacks "
        f"{_many(len(holding.missing), 'parameter')} of the model."
    )
    return Finding(CAUSES["stale_optimizer"], "root", "likely", text, names=holding.missing)


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _report(
    model: torch.nn.Module,
    groups: list[tuple[Diagnosis, list[str]]],
    registration: list[Finding],
    frozen: int,
    learning: int,
    holding: Held | None,
) -> Diagnosis:
    bad = [(answer, names) for answer, names in groups if not answer.ok]
    findings = [
        replace(one, names=tuple(names), location=one.location if len(names) == 1 else _site(one.location))
        for answer, names in bad
        for one in answer.findings
    ]
    everything = [*findings, *registration]  # where a way is cut, that comes first: it explains a None by itself
    roots = [one for one in everything if one.role == "root"]
    first = roots[0] if roots else None
    lone = bad[0][0] if bad else None
    state: State = "unmoved" if registration and not bad else lone.state if lone else "present"
    fits: tuple[Cause, ...] = () if lone is None else lone.candidates
    candidates = (first.cause,) if first and first.certainty == "proved" else ((first.cause, *fits) if first else fits)
    return Diagnosis(
        state=state,
        ok=not bad and not registration,
        summary=_summary(groups, frozen, learning),
        cause=first.cause if first else None,
        certainty=first.certainty if first else "open",
        candidates=tuple(dict.fromkeys(candidates)),
        findings=tuple(everything),
        notes=tuple(_notes(groups, frozen, holding)),
        target=f"module {type(model).__name__}",
        torch_version=str(torch.__version__),
        trace=groups[0][0].trace if groups else None,
    )


def _summary(groups: list[tuple[Diagnosis, list[str]]], frozen: int, learning: int) -> str:
    if not learning:
        return f"No parameter requires grad; {_many(frozen, 'parameter')} frozen."
    words = {"none": "without a gradient", "zero": "all zero", "nonfinite": "with nan or inf"}
    counts: dict[State, int] = {}
    for answer, names in groups:
        counts[answer.state] = counts.get(answer.state, 0) + len(names)
    parts = [f"{counts[state]} {words.get(state, 'with a gradient')}" for state in _WORST if state in counts]
    return f"Of {_many(learning, 'parameter')} that require grad: {', '.join(parts)}."


def _notes(groups: list[tuple[Diagnosis, list[str]]], frozen: int, holding: Held | None) -> list[str]:
    unsure = [(answer, names) for answer, names in groups if not answer.ok and answer.certainty == "open"]
    notes = [f"{some(names)}: {answer.summary}" for answer, names in unsure]
    if frozen:
        notes.append(f"{_many(frozen, 'parameter')} frozen (requires_grad False).")
    if holding and holding.missing and not holding.foreign:
        notes.append(
            f"This optimizer does not hold {some(holding.missing)}: another one may, or they stay as they are."
        )
    return notes
