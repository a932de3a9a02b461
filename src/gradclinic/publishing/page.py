"""One executed lesson as a Markdown page."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from gradclinic.causes import CAUSES
from gradclinic.claims import ClaimResult
from gradclinic.course import Course, CourseError, Lesson
from gradclinic.diagnosis.tell.picture import figure
from gradclinic.publishing.cause_programs import cause_address
from gradclinic.publishing.execute import ExecutedLesson
from gradclinic.publishing.markdown import box, bullets, code, folded, front_matter, literal, output
from gradclinic.publishing.outputs import Piece, text_of
from gradclinic.publishing.predict import PROGRESS, question
from gradclinic.publishing.reading import Cell, Graph, at_graphs
from gradclinic.publishing.repository import Repository

_VERDICTS = {"true": ("success", "true"), "false": ("failure", "false"), "half": ("warning", "half true")}


def lesson_page(
    course: Course, executed: ExecutedLesson, claims: Mapping[str, ClaimResult], repository: Repository | None = None
) -> str:
    """The page of one lesson. Raises CourseError when the header names a claim or a prerequisite that is not there."""
    lesson = executed.story.lesson
    parts = [front_matter(lesson.title, lesson.question), _head(course, executed, repository)]
    numbers = itertools.count(1)  # of the pictures: one may be asked for twice, and ids are unique on a page
    for i, cell in enumerate(executed.story.cells):
        if cell.kind == "markdown":
            parts += _prose(executed, cell.source, numbers)
        else:
            parts += _program(lesson, cell, executed.outputs[i], claims)
        if "predict" in cell.tags and lesson.choices:
            parts.append(question(lesson, text_of(executed.output("run"), "prints", "shows")))
    return "\n".join([*parts, _exercise(lesson)])


def _program(lesson: Lesson, cell: Cell, pieces: Sequence[Piece], claims: Mapping[str, ClaimResult]) -> Iterator[str]:
    """A code cell, its output and its claims. Where the output is folded, as after a prediction, so are the claims."""
    told = [claim_box(lesson, claims, tag.removeprefix("claim-")) for tag in cell.tags if tag.startswith("claim-")]
    source = "" if {"hide-input", "remove-cell"} & {*cell.tags} else cell.source
    shown = "" if "remove-cell" in cell.tags else output(pieces)
    fold = "What it prints" if "run" in cell.tags else "What comes out" if "fold-output" in cell.tags else ""
    if not fold:
        yield from told
    if source.strip():
        yield code(source)
    if fold and (shown or told):
        kind = "note gc-run" if "run" in cell.tags else "note"  # the script opens it after the prediction
        yield folded(kind, fold, "\n".join([shown, *told]))
    elif shown:
        yield shown


def _head(course: Course, executed: ExecutedLesson, repository: Repository | None) -> str:
    lesson = executed.story.lesson
    teach, exercise = lesson.minutes
    facts = [
        f"{teach} minutes to read, {exercise} for the exercise",
        "core" if lesson.core else "optional",
        f"run with torch {executed.torch.partition('+')[0]} on {executed.date}",
    ]
    text = f"# {lesson.number}. {lesson.title}\n\n{lesson.question}\n{{ .gc-question }}\n\n"
    text += f"{' · '.join(facts)}\n{{ .gc-facts }}\n\n"
    text += f"{' · '.join(_to_take_away(lesson, repository))}\n{{ .gc-facts }}\n\n"
    text += f"{PROGRESS}\n" if lesson.choices else ""
    if lesson.strings("objectives"):
        text += "After this lesson you can:\n\n" + bullets(lesson.strings("objectives")) + "\n"
    before = [_link(course, lesson, name) for name in lesson.strings("prerequisites")]
    causes = [_cause(course, lesson, name) for name in lesson.strings("causes")]
    text += f"Builds on: {', '.join(before)}.\n\n" if before else ""
    return text + (f"Causes that you meet here: {'; '.join(causes)}.\n" if causes else "")


def _to_take_away(lesson: Lesson, repository: Repository | None) -> Iterator[str]:
    """The lesson in other forms, and where to change it when the repository has an address."""
    place = f"../downloads/{lesson.slug}"
    yield f"Take it along: [notebook]({place}.ipynb){{ download }}"
    yield f"[notebook with outputs]({place}-with-outputs.ipynb){{ download }}"
    yield f"[Python file]({place}.py){{ download }}"
    yield f"[slides](../slides/{lesson.id}.html)"
    if repository:
        if colab := repository.colab(f"{lesson.slug}.ipynb"):
            yield f"[open in Colab]({colab})"
        yield f"[edit this lesson]({repository.edit(f'lessons/{lesson.slug}/lesson.py')})"


def _link(course: Course, lesson: Lesson, name: str) -> str:
    try:
        other = next(other for other in course.lessons if other.id == name)
    except StopIteration:
        raise CourseError(f"{lesson.lesson_file}:1: the prerequisite {name} is no lesson's id.") from None
    return f"[{other.title}]({other.id}.md)"


def _cause(course: Course, lesson: Lesson, name: str) -> str:
    if name not in CAUSES:
        raise CourseError(
            f"{lesson.lesson_file}:1: the catalogue knows no cause {name}. Take one of {', '.join(CAUSES)}."
        )
    return f"[{CAUSES[name].title}](../{cause_address(course, name)})"


def _prose(executed: ExecutedLesson, markdown: str, numbers: Iterator[int]) -> Iterator[str]:
    for text, graph in at_graphs(markdown):
        yield text.strip() + "\n"
        if graph is not None:
            yield picture(executed, graph, next(numbers)) + "\n"


def picture(executed: ExecutedLesson, graph: Graph, number: int) -> str:
    beat = {"predict": "after the program above"}.get(graph.cell, f"after the cell “{graph.cell}”")
    return figure(executed.graphs[graph], f"graph-{number}", beat)


def claim_box(lesson: Lesson, claims: Mapping[str, ClaimResult], name: str) -> str:
    """What the article says, what was measured, and the verdict. Raises CourseError when there is no such claim."""
    if name not in claims:
        raise CourseError(
            f"{lesson.lesson_file}:1: a cell is tagged claim-{name}, and lessons/claims/{name}.py is not there."
        )
    claim = claims[name]
    kind, verdict = _VERDICTS[claim.verdict]
    measured = f"Measured (torch {claim.torch.partition('+')[0]}): {literal(claim.measured)}"
    body = f"The article says: {claim.claim}\n\n{measured}\n\nThe claim is **{verdict}**."
    return box(kind, f"Claim {claim.id} of article {claim.source}: {verdict}", body)


def _exercise(lesson: Lesson) -> str:
    name = f"lessons/{lesson.slug}/exercise.py"
    parts = [
        f"The file to repair is `{name}`. Then ask for the verdict:\n",
        f"```sh\ngradclinic check {lesson.id}\n```\n",
    ]
    parts.append(
        folded("example", f"The exercise: {name}", code(lesson.exercise_file.read_text(encoding="utf-8"), name))
    )
    for i, hint in enumerate(lesson.hints, 1):
        parts.append(folded("tip gc-hint", f"Hint {i} of {len(lesson.hints)}", hint))
    parts.append(
        "### A solution\n\nThere is more than one. Look when yours passes, or when three hints were not enough.\n"
    )
    solution = lesson.solution_file.read_text(encoding="utf-8")
    shown = folded("success", "I have tried: show it", code(solution, f"solutions/{lesson.slug}.py"))
    parts.append(folded("success gc-solution", "Show a solution", shown))
    return "\n".join(parts)
