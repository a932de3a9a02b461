"""The page of one symptom: what is seen, the program in which it is seen, why, and the program repaired."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradclinic.causes import CAUSES
from gradclinic.course import Course, Symptom
from gradclinic.publishing.cause_page import question
from gradclinic.publishing.cause_programs import ExecutedCause, cause_address
from gradclinic.publishing.execute import ExecutedLesson
from gradclinic.publishing.markdown import bullets, code, front_matter, literal, output, unsearched, verbatim
from gradclinic.publishing.outputs import Piece, text_of
from gradclinic.publishing.pages import lesson_link
from gradclinic.publishing.symptom_programs import ExecutedSymptom, messages_of

_SHORTEST, _LONGEST = 46, 80  # of a title, in characters; a browser's tab and a search engine show fewer
_CUT = "\u00a0…"
_WHAT = {"error": "An error", "warning": "A warning", "silent": "No message"}


def symptom_page(
    course: Course, executed: ExecutedSymptom, causes: Sequence[ExecutedCause], lessons: Sequence[ExecutedLesson]
) -> str:
    """`causes` and `lessons` are all of the course: those in which the symptom is seen too are linked."""
    symptom, run = executed.symptom, executed.run
    title, cause = symptom_title(executed), symptom.cause
    place = f"../{cause_address(course, cause.id)}"
    parts = [
        front_matter(title, _description(title), boost=symptom.boost),
        f"# {literal(title)}\n",
        _seen(executed),
        f"{_facts(executed)}\n{{ .gc-facts }}\n",
        unsearched("## Why it happens"),
        f"**[{cause.title}]({place}).** {symptom.because or cause.explanation}\n",
        unsearched("## A program that shows it"),
        code(run.program.broken.source),
        output(run.broken),
        unsearched("## What helps"),
        (symptom.helps or cause.fix) + "\n",
        code(run.program.fixed.source),
        output(run.fixed),
        unsearched(f"## What {'explain' if run.program.raises else 'diagnose'} says"),
        code(question(run.program)),
        output([Piece("prints", run.said.text)]),
        f"Of the repaired program `{run.program.ask.source.strip()}` says:\n",
        output([Piece("prints", run.said_of_fixed.summary)]),
        unsearched("## Read on"),
        bullets(_links(course, executed, causes, lessons)),
    ]
    return "\n".join(parts)


def symptom_title(executed: ExecutedSymptom) -> str:
    """The message without its type, where it is long up to a full stop or a bracket; of a silent one, its words."""
    if not executed.message:
        return executed.symptom.text
    said = " ".join(executed.message.partition(": ")[2].split())
    parts = (said, *(said[: stop.start()] for stop in re.finditer(r"\.? (?=\()|(?<=[\w)])\. ", said)))
    for part in parts:
        if len(part) <= _LONGEST and (part == said or len(part) >= _SHORTEST):
            return part.rstrip(".")
    return said[: said.rindex(" ", 0, _LONGEST)].rstrip(",:;.") + _CUT


def is_seen_in(executed: ExecutedSymptom, symptom: Symptom, result: ExecutedLesson) -> bool:
    """Whether a symptom of a lesson's header is this one: the line that its cell printed, or the words for it."""
    own = executed.symptom
    if symptom.kind == "silent":
        return symptom.text.lower() in {words.lower() for words in (own.text, *own.also)}
    return own.kind != "silent" and own.text in printed_line(symptom, result)


def printed_line(symptom: Symptom, result: ExecutedLesson) -> str:
    """The line of the lesson's output with the symptom's words; these alone when they run over a line's end."""
    lines = text_of(result.output(symptom.cell)).splitlines()
    line = next((line.strip() for line in lines if symptom.text in line), symptom.text)
    return re.sub(r"^cell:\d+: ", "", line)


def _facts(executed: ExecutedSymptom) -> str:
    run = executed.run
    facts = [
        _WHAT[executed.symptom.kind],
        f"run with torch {run.torch.partition('+')[0]} on {run.date}",
        "[all symptoms](../symptoms.md)",
    ]
    return " · ".join(facts)


def _seen(executed: ExecutedSymptom) -> str:
    """The words to be found by: the whole message, or the other ways to say it."""
    also = [literal(words) for words in executed.symptom.also]
    said = f'<p class="gc-message gc-{executed.symptom.kind}" markdown="1">{verbatim(executed.message)}</p>'
    text = said.replace("\n", " ") + "\n" if executed.message else ""
    return text + (f"\nAlso: {'; '.join(also)}.\n" if also else "")


def _description(title: str) -> str:
    said = title.removesuffix(_CUT)
    return f"{said}: a program that shows it, why it happens, and the fix, run with PyTorch."


def _links(
    course: Course, executed: ExecutedSymptom, causes: Sequence[ExecutedCause], lessons: Sequence[ExecutedLesson]
) -> list[str]:
    own = executed.symptom.cause
    found = [f"The cause: [{own.title}](../{cause_address(course, own.id)})"]
    for cause in causes:
        if cause.program.id != own.id and _message_in(executed, cause):
            address = cause_address(course, cause.program.id)
            found.append(f"Another cause that ends in this message: [{CAUSES[cause.program.id].title}](../{address})")
    for result in lessons:
        lesson = result.story.lesson
        if lesson.id == own.lesson or any(is_seen_in(executed, symptom, result) for symptom in lesson.symptoms):
            found.append(f"A lesson on it: {lesson_link(lesson, '../lessons/')}")
    return found


def _message_in(executed: ExecutedSymptom, cause: ExecutedCause) -> bool:
    words = executed.symptom.text
    return bool(executed.message) and any(words in " ".join(said.split()) for _, said in messages_of(cause.broken))
