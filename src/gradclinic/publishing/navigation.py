"""The lessons in the navigation of the site, so that a new lesson needs no line anywhere but its own."""

from __future__ import annotations

import re
from pathlib import Path

from gradclinic.course import Course
from gradclinic.publishing.cache import Tell

_LESSONS = re.compile(r"^( *)- lessons/index\.md\n((?:\1- lessons/\w+\.md\n)*)", re.MULTILINE)


def refresh(config: Path, course: Course, tell: Tell) -> None:
    """Rewrites the lines below `- lessons/index.md` in `mkdocs.yml`, if the lessons are others now, and says so."""
    if not config.exists():
        return
    text = config.read_text(encoding="utf-8")
    names = [lesson.id for lesson in course.lessons if lesson.lesson_file.exists()]

    def lines(found: re.Match[str]) -> str:
        return "".join(f"{found[1]}- lessons/{name}.md\n" for name in ["index", *names])

    if (new := _LESSONS.sub(lines, text, count=1)) != text:
        config.write_text(new, encoding="utf-8")
        listed = ", ".join(name for name in names if f"- lessons/{name}.md\n" not in text)
        tell(f"{config.name} now lists {listed or 'the lessons as they are'}: commit it")
