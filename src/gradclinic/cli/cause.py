"""`gradclinic cause`: one entry of the catalogue of causes, or the list of all."""

from __future__ import annotations

import argparse
from textwrap import indent

from gradclinic.causes import CAUSES, Cause, Outcome
from gradclinic.cli.console import say
from gradclinic.course import CourseError

_OUTCOMES: dict[Outcome, str] = {
    "none": ".grad is None",
    "zero": "the gradient is zero",
    "error": "PyTorch raises an error",
    "wrong": "the numbers are wrong, and no error says so",
    "unmoved": "a parameter does not move, although its gradient is right",
    "work": "the work itself, no matter of gradients",
}


def run(arguments: argparse.Namespace) -> int:
    if arguments.id:
        _show(_find(arguments.id))
    else:
        _show_all()
    return 0


def _find(name: str) -> Cause:
    """The cause of an id or of an unambiguous part of one. Raises CourseError."""
    wanted = name.strip().lower().replace("-", "_")
    if wanted in CAUSES:
        return CAUSES[wanted]
    near = [id for id in CAUSES if wanted and wanted in id]
    if not near:
        raise CourseError(f'No cause is called "{name}". `gradclinic cause` shows their names.')
    if len(near) > 1:
        raise CourseError(f'"{name}" fits {", ".join(near)}. Say which.')
    return CAUSES[near[0]]


def _show(cause: Cause) -> None:
    say(cause.id, "cause", (f"  {cause.title}", "title"))
    say(f"  What you see: {_OUTCOMES[cause.outcome]}.", "dim")
    say()
    say(indent(cause.explanation, "  "))
    say()
    say("  What helps", "title")
    say(indent(cause.fix, "  "))
    if cause.lesson:
        say()
        say("  read   ", "dim", (f"gradclinic read {cause.lesson}", "plain"))


def _show_all() -> None:
    widest = max(map(len, CAUSES))
    for outcome, words in _OUTCOMES.items():
        say(f"{words[0].upper()}{words[1:]}", "title")
        for cause in CAUSES.values():
            if cause.outcome == outcome:
                say(f"  {cause.id:<{widest}}  ", "cause", (cause.title, "plain"))
        say()
    say("One of them in full: gradclinic cause ID", "dim")
