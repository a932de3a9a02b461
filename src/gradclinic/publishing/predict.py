"""The question "what will this print?": a list and a folded answer, of which the page's script makes a quiz."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from gradclinic.course import Lesson
from gradclinic.publishing.markdown import folded
from gradclinic.publishing.verify import right_choice

_LETTERS = "ABCDEFGH"
# Here the script tells how far the reader is. Without it there is nothing to tell, and the place stays empty.
PROGRESS = '<div class="gc-progress" hidden></div>\n'


def question(lesson: Lesson, printed: str) -> str:
    """The choices, with what each of them misunderstands; the right one is the one that says what the run printed."""
    right = right_choice(lesson, printed)[0]
    told = folded("question", "Decide first. Then open the answer.", answers(lesson, right))
    opening = f'<div class="gc-predict" data-lesson="{escape(lesson.id)}" data-right="{right}" markdown>'
    return f"{opening}\n\n{asked(lesson)}{told}\n</div>\n"


def asked(lesson: Lesson) -> str:
    choices = "".join(f"- **{_LETTERS[i]}.** {choice.text}\n" for i, choice in enumerate(lesson.choices))
    return f"**{lesson.ask}**\n{{ .gc-ask }}\n\n{choices}\n"


def answers(lesson: Lesson, right: int) -> str:
    return f"**{_LETTERS[right]}** is what this build measured.\n\n" + "".join(
        f"- **{_LETTERS[i]}. {choice.text}**: {'right.' if i == right else 'no.'} "
        f'<span class="gc-because">{choice.because}</span>\n'
        for i, choice in enumerate(lesson.choices)
    )


def list_of_questions(lessons: Iterable[Lesson]) -> str:
    """A script that names the lessons which ask a question, so that every page can count them, by `file://` too."""
    named = [{"id": lesson.id, "title": f"{lesson.number}. {lesson.title}"} for lesson in lessons if lesson.choices]
    return f"const gradclinicQuestions = {json.dumps(named, indent=1)};\n"
