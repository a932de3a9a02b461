"""`gradclinic claims`: runs every claim of the two articles now, and shows what comes out."""

from __future__ import annotations

import argparse
import json

from gradclinic.claims import ClaimResult, each_claim, read_claims
from gradclinic.cli.common import open_course
from gradclinic.cli.console import note, passing, say
from gradclinic.course import CourseError
from gradclinic.grading.servers import undisturbed

_ARTICLES = (
    "A and Q are two web articles in Chinese on lost gradients. Article A explains why .grad is None after backward(). "
    "Article Q asks for gradients inside a model."
)
_MARKS = {"true": ("✓", "good"), "false": ("✗", "bad"), "half": ("½", "cause")}


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    if not read_claims(course):
        raise CourseError(f"There are no claims in {course.root / 'lessons' / 'claims'}.")
    passing("importing PyTorch…")
    with undisturbed():
        import torch  # noqa: F401 - in a claim's own import, Ctrl-C would be lost
    results = []
    for result in each_claim(course):
        passing()
        results.append(result)
        if not arguments.json:
            _show(result)
    if arguments.json:
        print(json.dumps([_row(result) for result in results], indent=2))
    else:
        _sum_up(results)
    changed = [result for result in results if not result.as_recorded]
    for result in changed:
        note(f"{result.id}: recorded as {result.recorded}, and this run shows {result.verdict}.")
    return 1 if changed else 0


def _row(result: ClaimResult) -> dict[str, str]:
    return {name: getattr(result, name) for name in ("id", "claim", "verdict", "measured", "torch")}


def _show(result: ClaimResult) -> None:
    mark, style = _MARKS.get(result.verdict, ("!", "bad"))
    say(f"{result.id}  ", "title", (f"{mark} {result.verdict}", style))
    say(f"    {result.claim}")
    say(f"    → {result.measured}", "dim")


def _sum_up(results: list[ClaimResult]) -> None:
    true, false, half = (sum(result.verdict == verdict for result in results) for verdict in _MARKS)
    say()
    say(f"{true} true, {false} false, {half} half true, as run with torch {results[0].torch}.")
    say(_ARTICLES, "dim")
