"""The whole site, built strictly and opened in a real browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from gradclinic.course import Course

PAGES = ("", "lessons/", "lessons/timetable/", "symptoms/", "causes/", "claims/", "teach/", "write/", "help/")


def test_the_theme_s_successor_builds_the_same_tree_strictly(course: Course, tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="needs the other builder of sites: pip install zensical")
    for name in ("docs", "mkdocs.yml"):
        where = course.root / name
        (shutil.copytree if where.is_dir() else shutil.copy)(where, tmp_path / name)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (built.returncode, "No issues found" in built.stdout + built.stderr) == (0, True), (
        built.stdout + built.stderr
    )
    for lesson in course.lessons:
        page = (tmp_path / "site" / "lessons" / lesson.id / "index.html").read_text(encoding="utf-8")
        assert "gc-graph" in page, lesson.id


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_opens_without_an_error_and_asks_no_other_host(
    course: Course, address: str, browser: Any, scheme: str
) -> None:
    page = browser.new_page(color_scheme=scheme)
    wrong: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
    page.on("response", lambda response: wrong.append(response.url) if response.status >= 400 else None)
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    for name in (*PAGES, *(f"lessons/{lesson.id}/" for lesson in course.lessons)):
        page.goto(address + name, wait_until="networkidle")
        assert page.locator("h1").count() == 1, name
        assert page.evaluate("document.body.dataset.mdColorScheme") == {"light": "default", "dark": "slate"}[scheme]
    assert wrong == []
    page.close()


def test_a_picture_has_a_title_and_its_words_open_on_a_click(course: Course, address: str, browser: Any) -> None:
    page = browser.new_page()
    for lesson in course.lessons:
        page.goto(f"{address}lessons/{lesson.id}/")
        pictures = page.locator("svg.gc-graph")
        assert pictures.count() >= 1, lesson.id
        for i in range(pictures.count()):
            assert pictures.nth(i).get_attribute("role") == "img"
            assert pictures.nth(i).locator("title").text_content().startswith("The graph behind ")
    words = page.locator(".gc-figure details").first
    assert not words.locator("li").first.is_visible()
    words.locator("summary").click()
    assert words.locator("li").first.is_visible()
    page.close()


def test_output_answer_hints_and_solution_stay_folded_until_they_are_asked_for(
    course: Course, address: str, browser: Any
) -> None:
    page = browser.new_page()
    for lesson in course.lessons:
        page.goto(f"{address}lessons/{lesson.id}/")
        for title in (
            "What it prints",
            "All the answers, each with its reason",
            "Hint 1 of 3",
            "Hint 3 of 3",
            "Show a solution",
        ):
            box = page.locator("details", has=page.locator("summary", has_text=title))
            assert box.count() == 1, (lesson.id, title)
            assert box.get_attribute("open") is None
    page.close()


def test_a_phone_needs_no_sideways_scrolling(course: Course, address: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 800})
    for name in (*PAGES, *(f"lessons/{lesson.id}/" for lesson in course.lessons)):
        page.goto(address + name)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, name
    page.close()


def test_each_lesson_has_a_notebook_without_outputs_header_and_hidden_cells(course: Course) -> None:
    for lesson in course.lessons:
        path = course.root / "site" / "downloads" / f"{lesson.slug}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        assert set(notebook.metadata) == {"kernelspec"}
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert len(code) >= 3
        assert not any(cell.outputs or "gradclinic.publishing" in cell.source for cell in code)
        assert not any(hint in path.read_text() for hint in lesson.hints)
