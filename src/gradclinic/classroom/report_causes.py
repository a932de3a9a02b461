"""The part of the report that says what to re-teach: a card for each misconception, first the most common one."""

from __future__ import annotations

from collections.abc import Sequence

from gradclinic.causes import CAUSES
from gradclinic.classroom.misconceptions import Misconception
from gradclinic.classroom.plain import count
from gradclinic.classroom.shown import name, shown
from gradclinic.course import Lesson

_OPEN = 5  # cards that need no click
_BEATS = {"predict": "Predict", "run": "Run", "investigate": "Investigate", "modify": "Modify", "make": "Make"}


def reteach(ranking: Sequence[Misconception], lessons: dict[str, Lesson], learners: int) -> str:
    """The section; ids `c0`, `c1`, … follow the ranking, so that each failed check can point at its cause."""
    cards = [
        (one, _card(place, one, _lesson(one, lessons), learners)) for place, one in enumerate(ranking) if one.teachable
    ]
    trouble = [_trouble(place, one) for place, one in enumerate(ranking) if not one.teachable]
    first, later = cards[:_OPEN], cards[_OPEN:]
    parts = [f'<ol class="cards">{"".join(card for _, card in first)}</ol>' if first else _NOTHING]
    if later:
        parts.append(
            f'<details class="more"><summary>{count(len(later), "rarer misconception")}</summary>'
            f'<ol class="cards" start="{_OPEN + 1}">{"".join(card for _, card in later)}</ol></details>'
        )
    if trouble:
        parts.append(f'<h3>Trouble of other kinds</h3><ul class="trouble">{"".join(trouble)}</ul>')
    return f'<section id="reteach"><h2>What to re-teach first</h2>{"".join(parts)}</section>'


_NOTHING = '<p class="quiet">No failed check of this class points at a misconception.</p>'


def title_of(cause: str) -> str:
    """The title of a cause as HTML; of one that the catalogue does not know, nothing."""
    known = CAUSES.get(cause)
    return shown(known.title).replace("`", "") if known else ""


def _lesson(one: Misconception, lessons: dict[str, Lesson]) -> Lesson | None:
    """The lesson that teaches the cause, or else that of the exercise where most met it."""
    return lessons.get(CAUSES[one.cause].lesson or "") or lessons.get(one.hardest)


def _card(place: int, one: Misconception, lesson: Lesson | None, learners: int) -> str:
    cause, many = CAUSES[one.cause], len(one.learners)
    where = ", ".join(f"<code>{name(exercise)}</code> {met}" for exercise, met in one.exercises.items())
    example = ""
    if one.example:
        shared = f"all {many}" if one.alike == many else f"{one.alike} of the {many}"
        alike = f"{shared} wrote this very line" if one.alike > 1 else "the line of one of them"
        example = f"<figure><pre><code>{shown(one.example, 160)}</code></pre><figcaption>{alike}</figcaption></figure>"
    return (
        f'<li class="card" id="c{place}"><div><h3>{title_of(one.cause)}</h3>'
        f'<p class="held"><strong>{many}</strong> of {count(learners, "learner")} <code>{name(one.cause)}</code>'
        f' <button type="button" class="only" data-cause="{place}" hidden>Show them in the matrix</button></p>'
        f"{bar([('no', many), ('rest', learners - many)])}"
        f"{example}<p>{_prose(cause.explanation)}</p>"
        f'<p><b>Say:</b> {_prose(cause.fix)}</p><p class="quiet">Met in {where}</p></div>{_teach(lesson)}</li>'
    )


def _teach(lesson: Lesson | None) -> str:
    if lesson is None:
        return ""
    teach, exercise = lesson.minutes
    time = f", {teach} minutes to teach" if teach else ""
    time += f", {exercise} for the exercise" if exercise else ""
    hint = f"<p><b>First hint:</b> {_prose(lesson.hints[0])}</p>" if lesson.hints else ""
    notes = "".join(
        f"<li><b>{shown(_BEATS.get(beat, beat))}.</b> {_prose(cue)}</li>"
        for beat, cues in lesson.notes.items()
        for cue in cues
    )
    notes = f"<details><summary>Your notes for it</summary><ul>{notes}</ul></details>" if notes else ""
    return f'<div class="teach"><p><b>Lesson {lesson.number}: {shown(lesson.title)}</b>{time}</p>{hint}{notes}</div>'


def _trouble(place: int, one: Misconception) -> str:
    said = title_of(one.cause) or "A cause that this version does not know"
    return (
        f'<li id="c{place}"><strong>{len(one.learners)}</strong> {said} <code>{name(one.cause)}</code>'
        f' <button type="button" class="only" data-cause="{place}" hidden>Show them in the matrix</button></li>'
    )


def bar(parts: Sequence[tuple[str, int]]) -> str:
    """A bar of shares, each with its class; whoever does not see it has the numbers beside it."""
    whole = sum(many for _, many in parts) or 1
    drawn, left = [], 0
    for kind, many in parts:
        if many:
            x, width = 100 * left / whole, 100 * many / whole
            drawn.append(f'<rect class="{kind}" x="{x:.2f}%" width="{width:.2f}%" height="100%"/>')
        left += many
    return f'<svg class="bar" aria-hidden="true">{"".join(drawn)}</svg>'


def _prose(text: str) -> str:
    """Words of the course: what stands between backquotes is code."""
    parts = shown(text, 2000).split("`")
    if len(parts) % 2 == 0:
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
