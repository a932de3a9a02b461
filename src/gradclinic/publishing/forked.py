"""What runs in forks of one process: the claims, and the programs of the causes and of the symptoms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gradclinic.claims import ClaimResult, run_claims
from gradclinic.course import Course
from gradclinic.publishing.cache import Tell, keep, kept_at
from gradclinic.publishing.cause_programs import CauseFile, ExecutedCause, judged, read_causes
from gradclinic.publishing.forks import Answer, Call, answers
from gradclinic.publishing.handwritten import Example, examples_judged, read_examples
from gradclinic.publishing.symptom_programs import ExecutedSymptom, as_printed, read_symptoms, symptom_problems
from gradclinic.publishing.verify import Problem
from gradclinic.publishing.why import Tree, read_tree
from gradclinic.publishing.why_walks import (
    Visit,
    Walked,
    call_for,
    visits,
    walks_from_json,
    walks_judged,
    walks_to_json,
)

_PACKAGE = Path(__file__).parents[1]
_CALLS = 3  # a program asks for so many


@dataclass(frozen=True)
class Forked:
    """The results, and what differs from what the files say."""

    claims: list[ClaimResult]
    causes: list[ExecutedCause]
    symptoms: list[ExecutedSymptom]
    why: Walked | None
    problems: list[Problem]


def forked_results(course: Course, tell: Tell) -> Forked:
    """Runs what has changed, with one import of torch for all of it. What is faulty runs again each time.

    Raises CourseError when a claim or a cause's file cannot be read.
    """
    causes = read_causes(course)
    symptoms = read_symptoms(course, causes)
    own = [symptom.program for symptom in symptoms if symptom.has_own_program]
    kept_claims, kept = _kept_claims(course), _kept_programs(course, [*causes, *own])
    new = [one for one, path in kept.items() if not path.exists()]
    calls = [call for one in new for call in one.calls()]
    if not kept_claims.exists():
        calls.append(Call(f"{__name__}:claim_rows", {"root": str(course.root)}))
    asked, kept_walks, tree = _why(course, causes)
    examples, kept_examples = _examples(course)
    walks = [call_for(tree, one) for one in asked if tree]
    found = answers([*calls, *walks, *(one.call() for one in examples)])
    shown, found = found[len(calls) + len(walks) :], found[: len(calls) + len(walks)]
    found, walked = found[: len(calls)], found[len(calls) :]
    claims, problems = _claims(course, kept_claims, found[len(new) * _CALLS :], tell)
    today = datetime.now(UTC).date().isoformat()
    for i, one in enumerate(new):
        plain, traced, fixed = found[i * _CALLS : (i + 1) * _CALLS]
        executed, wrong = judged(one, plain, traced, fixed, version("torch"), today)
        problems += wrong
        if executed is not None and not wrong:
            keep(kept[one], executed.to_json())
    runs = {
        one.file: ExecutedCause.from_json(one, path.read_text(encoding="utf-8"))
        for one, path in kept.items()
        if path.exists()
    }
    for name, programs in (("causes", causes), ("symptoms", own)):
        fresh = len({*programs} & {*new})
        tell(f"{len(programs)} {name}  {f'{fresh} run' if fresh else 'unchanged'}") if programs else None
    printed = as_printed(symptoms, runs)
    problems += symptom_problems(printed)
    why, astray = _walked(tree, asked, walked, kept_walks, tell) if tree else (None, [])
    problems += astray + _shown(examples, shown, kept_examples, tell)
    return Forked(claims, [runs[one.file] for one in causes if one.file in runs], printed, why, problems)


def _examples(course: Course) -> tuple[list[Example], Path]:
    """The blocks of the pages written by hand, if they are still to be run, and where it is kept that they were."""
    examples = read_examples(course)
    kept = kept_at(course, "examples", [*dict.fromkeys(one.file for one in examples), *_tool()])
    return ([] if kept.exists() else examples), kept


def _shown(examples: Sequence[Example], found: Sequence[Answer], kept: Path, tell: Tell) -> list[Problem]:
    if not examples:
        return []
    problems = examples_judged(examples, found)
    tell(f"{len(examples)} blocks on pages written by hand  run")
    if not problems:
        keep(kept, json.dumps([f"{one.file.name}:{one.line}" for one in examples]))
    return problems


def claim_rows(root: str) -> list[dict[str, Any]]:
    """What the claims' programs show; called in a fork."""
    return [asdict(result) for result in run_claims(Course(Path(root)))]


def _kept_claims(course: Course) -> Path:
    files = sorted((course.root / "lessons" / "claims").glob("*.py"))
    return kept_at(course, "claims", [*files, _PACKAGE / "claims.py"])


def _kept_programs(course: Course, programs: Sequence[CauseFile]) -> dict[CauseFile, Path]:
    """A diagnosis says what the catalogue and the diagnosis say: with them it changes."""
    return {one: kept_at(course, _name(one), [one.file, *_tool()]) for one in programs}


def _tool() -> list[Path]:
    return [_PACKAGE / "causes.py", *sorted((_PACKAGE / "diagnosis").rglob("*.py"))]


def _name(program: CauseFile) -> str:
    """Without hyphens in the name itself: what is kept under `a-*` gives way to a new `a`."""
    return f"{program.file.parent.name}-{program.file.stem.replace('-', '_')}"


def _why(course: Course, causes: Sequence[CauseFile]) -> tuple[list[Visit], Path, Tree | None]:
    """The programs that are still to be asked, where their walks are kept, and the questions, if the course has any."""
    file = course.root / "lessons" / "why.yaml"
    kept = kept_at(course, "why", [file, *(one.file for one in causes)] if file.exists() else [])
    tree = read_tree(file, [one.id for one in causes]) if file.exists() else None
    return (visits(tree, causes) if tree and not kept.exists() else []), kept, tree


def _walked(
    tree: Tree, asked: Sequence[Visit], found: Sequence[Answer], kept: Path, tell: Tell
) -> tuple[Walked, list[Problem]]:
    if not asked:
        walks = walks_from_json(kept.read_text(encoding="utf-8"))
        tell(f"{len(walks)} paths of questions  unchanged")
        return Walked(tree, walks), []
    walks, problems = walks_judged(tree, asked, found)
    tell(f"{len(walks)} paths of questions  walked")
    if not problems:
        keep(kept, walks_to_json(walks))
    return Walked(tree, walks), problems


def _claims(course: Course, kept: Path, found: list[Answer], tell: Tell) -> tuple[list[ClaimResult], list[Problem]]:
    if not found:
        results = [ClaimResult(**row) for row in json.loads(kept.read_text(encoding="utf-8"))]
        tell(f"{len(results)} claims  unchanged")
        return results, []
    (answer,) = found
    if answer.failed:
        what = f"the claims could not be run: {answer.failed}"
        remedy = "`gradclinic claims` runs them one by one."
        return [], [Problem(course.root / "lessons" / "claims", 1, what, remedy)]
    results = [ClaimResult(**row) for row in answer.value]
    tell(f"{len(results)} claims  run")
    problems = [_changed_claim(course, result) for result in results if not result.as_recorded]
    if not problems:
        keep(kept, json.dumps([asdict(result) for result in results], indent=1))
    return results, problems


def _changed_claim(course: Course, result: ClaimResult) -> Problem:
    what = f"claim {result.id} is recorded as {result.recorded}, and this run says {result.verdict}: {result.measured}"
    file = course.root / "lessons" / "claims" / f"{result.id}.py"
    return Problem(
        file, 1, what, "If PyTorch has changed, correct the `verdict:` line and every page that builds on it."
    )
