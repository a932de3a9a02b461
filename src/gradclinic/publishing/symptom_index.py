"""The page that a person with a message opens first: every symptom by its kind, each one click from its page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradclinic.causes import Cause
from gradclinic.publishing.execute import ExecutedLesson
from gradclinic.publishing.markdown import front_matter, literal, unsearched, verbatim
from gradclinic.publishing.pages import lesson_link
from gradclinic.publishing.symptom_page import is_seen_in, printed_line, symptom_title
from gradclinic.publishing.symptom_programs import ExecutedSymptom

_KINDS = {"error": "The program stops with an error", "warning": "There is a warning"}
_SILENT = {
    "none": "No message, and `.grad` is None",
    "zero": "No message, and the gradient is zero",
    "wrong": "No message, and the numbers are wrong",
    "unmoved": "No message, and the weights do not move",
    "error": "It works once, then no more",
}


def symptoms_page(
    symptoms: Sequence[ExecutedSymptom], lessons: Sequence[ExecutedLesson], has_questions: bool = False
) -> str:
    """The symptoms with a page of their own, and then what the lessons show besides."""
    text = front_matter("Symptoms", "Find your error message, warning or silent symptom: why it happens, and the fix.")
    text += "# What do you see?\n\nPaste your message into the search of this site (press <kbd>/</kbd>), or look for "
    text += "it here. Every message stands as PyTorch printed it in this build; its page shows a program that "
    text += "raises it, why, and the program repaired.\n\n"
    if has_questions:
        text += "Not here, or more than one fits? [Answer a few questions](why.md), each with one line of code.\n\n"
    for kind, heading in _KINDS.items():
        text += _section(heading, [one for one in symptoms if one.symptom.kind == kind])
    silent = [one for one in symptoms if one.symptom.kind == "silent"]
    for outcome, heading in _SILENT.items():
        text += _section(heading, [one for one in silent if one.symptom.cause.outcome == outcome])
    besides = list(_besides(symptoms, lessons))
    return text + (f"{unsearched('## Shown in a lesson')}\n{''.join(besides)}\n" if besides else "")


def _section(heading: str, symptoms: Sequence[ExecutedSymptom]) -> str:
    if not symptoms:
        return ""
    entries = "".join(_entry(one) for one in sorted(symptoms, key=lambda one: symptom_title(one).lower()))
    return f'{unsearched(f"## {heading}")}\n<div class="gc-symptoms" markdown>\n\n{entries}\n</div>\n\n'


def _entry(executed: ExecutedSymptom) -> str:
    symptom, title = executed.symptom, symptom_title(executed)
    words = verbatim(title) if executed.message else literal(title)
    also = "" if executed.message else "".join(f" · {literal(other)}" for other in symptom.also)
    return f"- [{words}](symptoms/{symptom.slug}.md){also}<br>\n  <small>{_why(symptom.cause)}</small>\n"


def _why(cause: Cause) -> str:
    return re.sub(r"`(.+?)`", r"<code>\1</code>", cause.title)


def _besides(symptoms: Sequence[ExecutedSymptom], lessons: Sequence[ExecutedLesson]) -> Iterator[str]:
    """A course need not write a page for each symptom of its lessons: then the lesson itself is the page."""
    for result in lessons:
        for symptom in result.story.lesson.symptoms:
            if not any(is_seen_in(one, symptom, result) for one in symptoms):
                silent = symptom.kind == "silent"
                words = literal(symptom.text) if silent else verbatim(printed_line(symptom, result))
                yield f"- {words}: {lesson_link(result.story.lesson)}\n"
