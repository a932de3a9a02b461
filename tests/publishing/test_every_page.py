"""Every page of the site, for everybody: axe finds nothing grave, nothing scrolls sideways, no other host is asked."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradclinic.course import Course

AXE = importlib.util.find_spec("axe_playwright_python")
with_axe = pytest.mark.skipif(AXE is None, reason="no axe-core here; pip install axe-playwright-python")


def pages(course: Course) -> list[str]:
    site = course.root / "site"
    return sorted(file.parent.relative_to(site).as_posix() + "/" for file in site.rglob("index.html"))


def one_of_each_kind(course: Course) -> list[str]:
    """All pages that stand alone, and the first of those that are made alike: lessons, causes, symptoms."""
    kinds = {name.split("/")[0] if name.count("/") > 1 else name: name for name in reversed(pages(course))}
    return sorted(kinds.values())


def test_there_is_a_page_for_each_lesson_and_cause(course: Course) -> None:
    known = pages(course)
    for lesson in course.lessons:
        assert f"lessons/{lesson.id}/" in known
    for file in (course.root / "lessons" / "causes").glob("*.py"):
        assert f"causes/{file.stem}/" in known


@with_axe
@pytest.mark.parametrize(
    ("scheme", "width", "looked_at"),
    [("light", 1280, pages), ("dark", 375, pages), ("light", 375, one_of_each_kind), ("dark", 1280, one_of_each_kind)],
)
def test_it_is_usable_for_everybody(
    course: Course, address: str, browser: Any, scheme: str, width: int, looked_at: Callable[[Course], list[str]]
) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    person = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    page = person.new_page()
    wrong: list[Any] = []
    page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    for name in looked_at(course):
        page.goto(address + name.removeprefix("./"), wait_until="load")
        page.evaluate(axe)
        for rule in page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]:
            if rule["impact"] in ("serious", "critical"):
                wrong.append((name, rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]))
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            wrong.append((name, f"{wide} pixels wide"))
    person.close()
    assert wrong == []
