"""Everything that mkdocs is to see: written into `docs/`, and only where something changed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gradclinic.course import Course
from gradclinic.publishing import navigation
from gradclinic.publishing.cache import Tell, executed_lessons
from gradclinic.publishing.cause_page import cause_page, home_picture
from gradclinic.publishing.forked import forked_results
from gradclinic.publishing.notebook import downloads
from gradclinic.publishing.page import lesson_page
from gradclinic.publishing.pages import causes_page, claims_page, lessons_index, timetable
from gradclinic.publishing.predict import list_of_questions
from gradclinic.publishing.repository import repository
from gradclinic.publishing.slides import deck
from gradclinic.publishing.symptom_index import symptoms_page
from gradclinic.publishing.symptom_page import symptom_page
from gradclinic.publishing.verify import Problem
from gradclinic.publishing.why_page import how_to_tell, why_page

_GENERATED = (
    "lessons",
    "causes",
    "symptoms",
    "slides",
    "downloads",
)  # folders under docs/ that hold nothing written by hand


def build(course: Course, tell: Tell) -> list[Problem]:
    """Executes what has changed and writes the pages. With problems nothing is written, and all of them come back.

    Raises CourseError when a lesson, a claim or the file of a cause cannot be read.
    """
    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(forked_results, course, tell)
        executed = executed_lessons(course, tell)
        forked = beside.result()
    problems = [problem for lesson in executed for problem in lesson.problems] + forked.problems
    if problems:
        return problems
    claims = {result.id: result for result in forked.claims}
    pages = {
        "lessons/index.md": lessons_index(course),
        "lessons/timetable.md": timetable(course),
        "lessons/questions.js": list_of_questions(result.story.lesson for result in executed),
        "claims.md": claims_page(forked.claims),
        "symptoms.md": symptoms_page(forked.symptoms, executed, has_questions=forked.why is not None),
        "causes.md": causes_page(course),
        "downloads/home.html": home_picture(forked.causes),  # index.md takes it in
    }
    if forked.why:
        pages["why.md"] = why_page(forked.why, forked.causes)
    for cause in forked.causes:
        way = how_to_tell(forked.why, cause.program.id) if forked.why else ""
        pages[f"causes/{cause.program.id}.md"] = cause_page(course, cause, way)
    for one in forked.symptoms:
        pages[f"symptoms/{one.symptom.slug}.md"] = symptom_page(course, one, forked.causes, executed)
    config = course.root / "mkdocs.yml"
    where = repository(config)
    for result in executed:
        pages[f"lessons/{result.story.lesson.id}.md"] = lesson_page(course, result, claims, where)
        pages[f"slides/{result.story.lesson.id}.html"] = deck(result, claims)
        pages |= {f"downloads/{name}": text for name, text in downloads(result).items()}
    _write(course.root / "docs", pages)
    navigation.refresh(config, course, tell)
    return []


def _write(docs: Path, pages: dict[str, str]) -> None:
    """An unchanged page keeps its time, so that `mkdocs serve` reloads only what is new; stale pages go."""
    for name, text in pages.items():
        path = docs / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for folder in _GENERATED:
        for path in (docs / folder).iterdir() if (docs / folder).is_dir() else ():
            if f"{folder}/{path.name}" not in pages:
                path.unlink()
