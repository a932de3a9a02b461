"""The generated pages around the lessons: their index, the timetable, claims, causes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradclinic.causes import CAUSES, Cause
from gradclinic.claims import ClaimResult
from gradclinic.course import Course, Lesson
from gradclinic.publishing.cause_programs import cause_address
from gradclinic.publishing.markdown import bullets, cell_text, front_matter, literal
from gradclinic.publishing.predict import PROGRESS

_BEATS = ("predict", "run", "investigate", "modify", "make")
OUTCOMES = {
    "none": "`.grad` is None",
    "zero": "`.grad` is zero",
    "error": "An error stops the program",
    "wrong": "The numbers are wrong",
    "unmoved": "The gradient is right, and the parameter does not move",
    "work": "Trouble with the exercise, not with gradients",
}


def lessons_index(course: Course) -> str:
    rows = "".join(f"| {lesson_link(n, '')} | {cell_text(n.question)} | {sum(n.minutes)} |\n" for n in course.lessons)
    return (
        front_matter("Lessons", "All lessons, each with the question that it answers.")
        + "# Lessons\n\nEach lesson stands on its own page: predict, run, investigate, modify, make.\n\n"
        + f"{PROGRESS}\n"
        + "| Lesson | The question that it answers | Minutes |\n|---|---|---|\n"
        + rows
    )


def timetable(course: Course) -> str:
    """Minutes summed from the headers, and the instructor's cues of every lesson."""
    text = front_matter(
        "Timetable and notes", "How long each lesson takes, and what to ask, show and expect at each beat."
    )
    text += "# Timetable and notes\n\nSummed from the minutes in the lessons' headers. "
    text += "For 90 minutes and for half a day there are [plans](../teach.md#how-long-it-takes).\n\n"
    text += "| Lesson | Kind | Teach (min) | Exercise (min) | Together (min) | Slides |\n|---|---|---|---|---|---|\n"
    for lesson in course.lessons:
        teach, exercise = lesson.minutes
        kind = "core" if lesson.core else "optional"
        slides = f"[slides](../slides/{lesson.id}.html)" if lesson.lesson_file.exists() else ""
        text += f"| {lesson_link(lesson, '')} | {kind} | {teach} | {exercise} | {teach + exercise} | {slides} |\n"
    core = [lesson for lesson in course.lessons if lesson.core]
    text += f"| **The whole course** | | {_sums(course.lessons)} | |\n"
    text += f"| **Core lessons only** | | {_sums(core)} | |\n\n"
    for lesson in course.lessons:
        text += f"## {lesson_link(lesson, '')}\n\n"
        for beat in _BEATS:
            if lesson.notes.get(beat):
                text += f"**{beat.capitalize()}**\n\n{bullets(lesson.notes[beat])}\n"
    return text


def claims_page(results: Sequence[ClaimResult]) -> str:
    count = {verdict: sum(r.verdict == verdict for r in results) for verdict in ("true", "half", "false")}
    torch = results[0].torch.partition("+")[0] if results else ""
    text = front_matter("What the articles claim", "Every claim of the two source articles, run, with its verdict.")
    text += (
        "# What the articles claim, and what comes out\n\n"
        "The course grew out of two web articles on lost gradients: article Q asks for the gradient of tensors inside "
        f"a model, article A explains why `.grad` is None. Each of their {len(results)} claims is a small program "
        f"under `lessons/claims/`. This build ran them all on torch {torch}: **{count['true']} true, "
        f"{count['half']} half true, {count['false']} false**. `gradclinic claims` runs them on your machine.\n\n"
        "| Claim | In our words | Verdict | Measured |\n|---|---|---|---|\n"
    )
    mark = {"true": "✓ true", "half": "± half true", "false": "✗ false"}
    for result in results:
        text += f"| {result.id} | {cell_text(result.claim)} | {mark[result.verdict]} "
        text += f"| {cell_text(literal(result.measured))} |\n"
    return text


def causes_page(course: Course) -> str:
    """The index: a line for each cause with a page of its own, the whole entry for each that has none."""
    text = front_matter("Causes", "Every way in which a gradient goes missing, with its explanation and its fix.")
    text += "# Causes\n\nThe words that `diagnose` and the grader use when they name what went wrong. "
    text += "The page of a cause shows it in a program that this build ran.\n"
    taught = {lesson.id: lesson for lesson in course.lessons}
    for outcome, heading in OUTCOMES.items():
        causes = [cause for cause in CAUSES.values() if cause.outcome == outcome]
        places = {cause.id: cause_address(course, cause.id) for cause in causes}
        paged = [cause for cause in causes if "#" not in places[cause.id]]
        text += f"\n## {heading}\n" if causes else ""
        text += "\n" + bullets([_entry(cause, places[cause.id]) for cause in paged]) if paged else ""
        for cause in causes:
            text += _cause(cause, taught) if cause not in paged else ""
    return text


def _entry(cause: Cause, page: str) -> str:
    return f"[{cause.title}]({page}){{ #{cause.id} }} (`{cause.id}`)"


def _cause(cause: Cause, taught: dict[str, Lesson]) -> str:
    text = (
        f"\n### {cause.title} {{ #{cause.id} }}\n\n`{cause.id}`. {cause.explanation}\n\n**What helps:** {cause.fix}\n"
    )
    return text + (f"\nLesson: {lesson_link(taught[cause.lesson])}\n" if cause.lesson in taught else "")


def lesson_link(lesson: Lesson, folder: str = "lessons/") -> str:
    """A link to the lesson's page, or its name when it is an exercise without a story."""
    name = f"{lesson.number}. {cell_text(lesson.title)}"
    return f"[{name}]({folder}{lesson.id}.md)" if lesson.lesson_file.exists() else name


def _sums(lessons: Iterable[Lesson]) -> str:
    minutes = [lesson.minutes for lesson in lessons]
    teach, exercise = sum(m[0] for m in minutes), sum(m[1] for m in minutes)
    return f"{_hours(teach)} | {_hours(exercise)} | {_hours(teach + exercise)}"


def _hours(minutes: int) -> str:
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
