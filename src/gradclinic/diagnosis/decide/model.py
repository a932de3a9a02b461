"""A whole module: its parameters grouped by what is the matter, and what is not registered or not held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch.nn.parameter import is_lazy

from ...causes import CAUSES, Cause
from ..diagnosis import Diagnosis, Finding, Location, State
from ..words import many, some
from .facts import no_graph
from .reach import reached
from .registry import Held, Unregistered, held, matters, unregistered
from .untraced import NO_GRAPH

Decide = Callable[[torch.Tensor, Sequence[torch.Tensor], bool | None], Diagnosis]
_WORST: tuple[State, ...] = ("error", "none", "nonfinite", "zero", "unmoved", "present")


def decide_module(
    model: torch.nn.Module,
    losses: Sequence[torch.Tensor],
    optimizer: torch.optim.Optimizer | None,
    decide: Decide,
) -> Diagnosis:
    """One report: each group of parameters with the same answer is one finding, however many they are."""
    named = {name: one for name, one in model.named_parameters() if not is_lazy(one)}
    learning = {name: one for name, one in named.items() if one.requires_grad}
    outside = unregistered(model)
    known = reached(losses, list(learning.values())) if losses else [None] * len(learning)
    groups = _groups({name: decide(one, losses, hit) for (name, one), hit in zip(learning.items(), known, strict=True)})
    counts = _Counts(len(learning), len(named) - len(learning), sum(is_lazy(one) for one in model.parameters()))
    missed = [one for one in outside if matters(one, losses, optimizer)]
    registration = _unregistered(missed)
    holding = held(model, optimizer, losses, [t for one in outside for t in one.tensors]) if optimizer else None
    if holding and (stale := _stale(holding)):
        registration.append(stale)
    said = [*flags_on_modules(model), *_without_graph(losses, counts)]
    return _report(model, groups, said, registration, counts, holding)


@dataclass(frozen=True)
class _Counts:
    """How many parameters require grad, are frozen, and have no shape before the first forward pass."""

    learning: int
    frozen: int
    lazy: int


def _without_graph(losses: Sequence[torch.Tensor], counts: _Counts) -> list[Finding]:
    """A module that is frozen as a whole is no trouble, unless nothing else in the loss requires grad either."""
    if counts.learning or not no_graph(losses):
        return []
    text = "The loss does not require grad, and no parameter of this module does."
    return [Finding(CAUSES["loss_has_no_graph"], "symptom", "proved", text)]


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
    if not (holding.missing and holding.replaced):
        return None
    text = (
        f"The optimizer holds {many(holding.foreign, 'tensor')} that the model does not have, and lacks "
        f"{many(len(holding.missing), 'parameter')} of the model."
    )
    return Finding(CAUSES["stale_optimizer"], "root", "likely", text, names=holding.missing)


def _report(
    model: torch.nn.Module,
    groups: list[tuple[Diagnosis, list[str]]],
    said: list[Finding],
    registration: list[Finding],
    counts: _Counts,
    holding: Held | None,
) -> Diagnosis:
    """`said`: what is wrong with the module and the loss as such; `registration`: with what never moves."""
    bad = [(answer, names) for answer, names in groups if not answer.ok]
    explaining = _once([*said, *(one for answer, names in bad for one in _findings(answer, names))])
    everything = [*explaining, *registration]
    # what is not registered has its gradient: no reason for the lack of one
    sure = [one for one in (explaining if bad else everything) if one.role == "root" and one.certainty != "open"]
    first = sure[0] if sure else None
    fits = tuple(cause for answer, _ in bad or groups for cause in answer.candidates) or _of_frozen(said)
    if first:
        fits = (first.cause,) if first.certainty == "proved" else (first.cause, *fits)
    return Diagnosis(
        state=_state(bad, registration, counts),
        ok=not bad and not everything,
        summary=_summary(groups, counts),
        cause=first.cause if first else None,
        certainty=first.certainty if first else "open",
        candidates=tuple(dict.fromkeys(fits)),
        findings=tuple(everything),
        notes=tuple(_notes(groups, counts, holding)),
        target=f"module {type(model).__name__}",
        torch_version=str(torch.__version__),
        trace=groups[0][0].trace if groups else None,
    )


def _findings(answer: Diagnosis, names: list[str]) -> list[Finding]:
    alone = len(names) == 1
    return [
        replace(one, names=tuple(names), location=one.location if alone else _site(one.location))
        for one in answer.findings
    ]


def _once(findings: list[Finding]) -> list[Finding]:
    """A symptom of the loss is the same for every group."""
    seen = {(one.cause.id, one.text) if one.role == "symptom" else id(one): one for one in findings}
    return list(seen.values())


def _of_frozen(said: list[Finding]) -> tuple[Cause, ...]:
    """What fits where no parameter requires grad."""
    no_loss = NO_GRAPH if said else ("frozen", "flag_on_module", "unregistered_parameter")
    return tuple(CAUSES[one] for one in no_loss)


def _state(bad: list[tuple[Diagnosis, list[str]]], registration: list[Finding], counts: _Counts) -> State:
    if bad:
        return bad[0][0].state
    return "unmoved" if registration else "present" if counts.learning else "none"


def _summary(groups: list[tuple[Diagnosis, list[str]]], counted: _Counts) -> str:
    if not counted.learning:
        some_frozen = f"; {many(counted.frozen, 'parameter')} frozen" if counted.frozen else ""
        return (
            f"No parameter requires grad{some_frozen}." if counted.frozen or counted.lazy else "It has no parameters."
        )
    words = {"none": "without a gradient", "zero": "all zero", "nonfinite": "with nan or inf"}
    counts: dict[State, int] = {}
    for answer, names in groups:
        counts[answer.state] = counts.get(answer.state, 0) + len(names)
    parts = [f"{counts[state]} {words.get(state, 'with a gradient')}" for state in _WORST if state in counts]
    verb = "requires" if counted.learning == 1 else "require"
    return f"Of {many(counted.learning, 'parameter')} that {verb} grad: {', '.join(parts)}."


def _notes(groups: list[tuple[Diagnosis, list[str]]], counts: _Counts, holding: Held | None) -> list[str]:
    unsure = [(answer, names) for answer, names in groups if not answer.ok and answer.certainty == "open"]
    notes = [f"{some(names)}: {answer.summary}" for answer, names in unsure]
    if counts.frozen and counts.learning:
        notes.append(f"{many(counts.frozen, 'parameter')} frozen (requires_grad False).")
    if counts.lazy:
        notes.append(f"{many(counts.lazy, 'parameter')} without a shape until the first forward pass.")
    if holding and holding.missing and not holding.replaced:
        notes.append(
            f"This optimizer does not hold {some(holding.missing)}: another one may, or they stay as they are."
        )
    if holding and holding.foreign and not (holding.missing and holding.replaced):
        notes.append(f"This optimizer also holds {many(holding.foreign, 'tensor')} that this module does not have.")
    return [*notes, *(groups[0][0].notes if groups else ())]
