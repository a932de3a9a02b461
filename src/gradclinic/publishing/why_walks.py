"""Asks the questions of `lessons/why.yaml` of real programs, and holds where they lead against where they should."""

from __future__ import annotations

import contextlib
import io
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gradclinic.publishing.cause_programs import CauseFile
from gradclinic.publishing.forks import Answer, Call
from gradclinic.publishing.scrub import scrub
from gradclinic.publishing.verify import Problem
from gradclinic.publishing.why import Tree, load_tree

_NAMES = ("optimizer", "model", "prediction", "target")  # None where the program has none


@dataclass(frozen=True)
class Step:
    """A question, what its line showed, and where that answer leads."""

    question: str
    shown: str
    to: str


@dataclass(frozen=True)
class Walk:
    """The questions that one program was asked; `grad` is what its `x.grad` showed, empty if there is no x."""

    steps: tuple[Step, ...]
    grad: str

    @property
    def end(self) -> str:
        return self.steps[-1].to


@dataclass(frozen=True)
class Walked:
    """The questions, and the walk of each program by the program's name."""

    tree: Tree
    walks: Mapping[str, Walk]


@dataclass(frozen=True)
class Visit:
    """A program to ask, and the end that its path must have: None for any that is no cause."""

    name: str
    source: str
    x: str
    model: str
    raises: bool
    end: str | None


def visits(tree: Tree, causes: Sequence[CauseFile]) -> list[Visit]:
    """Every cause's program and its repair, and the programs of the other ends."""
    found = []
    for cause in causes:
        given = tree.programs.get(cause.id, {})
        x, model = given.get("x") or asked_about(cause.ask.source), given.get("model", "model")
        found.append(Visit(cause.id, cause.broken.source, x, model, cause.raises, cause.id))
        found.append(Visit(f"{cause.id}, repaired", cause.fixed.source, x, model, False, None))
    for end in tree.ends.values():
        if end.program:
            found.append(Visit(end.id, end.program, "x", "model", True, end.id))
    return found


def asked_about(question: str) -> str:
    """The first argument of `diagnose(…)`, as it is written."""
    import ast

    call = ast.parse(question.strip(), mode="eval").body
    return ast.unparse(call.args[0]) if isinstance(call, ast.Call) else "x"


def call_for(tree: Tree, visit: Visit) -> Call:
    """The walk, to be run in a process of its own."""
    return Call(f"{__name__}:walk", {"file": str(tree.file), "visit": asdict(visit)})


def walk(file: str, visit: Mapping[str, Any]) -> dict[str, Any]:
    """The steps of one program, in this process: called in a fork. Ends early where no answer fits."""
    names = _names_of(Visit(**visit))
    tree = load_tree(Path(file))
    grad = _shown("x.grad", names) if names["x"] is not None else ""  # autograd.grad fills it, if x retains it
    steps: list[dict[str, str]] = []
    asked = tree.start
    while asked in tree.questions:
        question = tree.questions[asked]
        shown = _shown(question.line, names)
        choice = question.taken(shown)
        asked = choice.to if choice else ""
        steps.append({"question": question.id, "shown": shown, "to": asked})
    return {"steps": steps, "grad": grad}


def _names_of(visit: Visit) -> dict[str, Any]:
    """What the page tells the reader to have at hand, after a run that stopped or that kept its graph."""
    import torch

    from gradclinic.publishing.programs import run

    source = visit.source if visit.raises else re.sub(r"\.backward\(\)", ".backward(retain_graph=True)", visit.source)
    _, found, error = run(source)
    names = {"re": re, "torch": torch, "loss": found.get("loss"), "error": error, "source": source}
    names |= {name: found.get(name) for name in _NAMES}
    for name, code in (("x", visit.x), ("model", visit.model)):
        try:
            names[name] = eval(code, dict(found))
        except NameError:  # the program has stopped above it, or needs none
            names[name] = None
    return names


def _shown(line: str, names: dict[str, Any]) -> str:
    """What a person sees who runs this line: the value, or the last line of the error."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            value = eval(line, dict(names))
        except Exception as error:
            return scrub(f"{type(error).__name__}: {error}")
    return scrub(value if isinstance(value, str) else repr(value)).replace(" object at 0x...", "")


def walks_judged(tree: Tree, asked: Sequence[Visit], found: Sequence[Answer]) -> tuple[dict[str, Walk], list[Problem]]:
    """The walk of each program by its name, and each path that does not lead where it should."""
    walks: dict[str, Walk] = {}
    problems = []
    for visit, answer in zip(asked, found, strict=True):
        if answer.failed:
            what = f"the program of {visit.name} could not be asked: {answer.failed}"
            problems.append(Problem(tree.file, 1, what, "Run it by hand, and the lines of the questions after it."))
            continue
        walks[visit.name] = _walk(answer.value)
        problems += _astray(tree, visit, walks[visit.name])
    return walks, problems


def _astray(tree: Tree, visit: Visit, walked: Walk) -> Iterator[Problem]:
    if walked.end == visit.end or (visit.end is None and walked.end in tree.ends):
        return
    way = "".join(f"\n    {tree.questions[step.question].line}  ->  {step.shown}" for step in walked.steps)
    led = f"to {walked.end}" if walked.end else "to no answer that fits"
    what = (
        f"the questions lead the program of {visit.name} {led}, and not to {visit.end or 'an end without cause'}:{way}"
    )
    yield Problem(tree.file, 1, what, "Correct a question or an answer, or let the program show its cause alone.")


def _walk(row: Mapping[str, Any]) -> Walk:
    return Walk(tuple(Step(**step) for step in row["steps"]), row["grad"])


def walks_to_json(walks: Mapping[str, Walk]) -> str:
    return json.dumps({name: asdict(walked) for name, walked in walks.items()}, indent=1)


def walks_from_json(text: str) -> dict[str, Walk]:
    return {name: _walk(row) for name, row in json.loads(text).items()}
