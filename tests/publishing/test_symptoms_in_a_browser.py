"""A message, typed into the site's own search box, leads to its page; and the pages serve everybody."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gradclinic.course import Course

from .test_symptoms import MESSAGES, SILENT

if TYPE_CHECKING:
    from playwright.sync_api import Page

AXE = importlib.util.find_spec("axe_playwright_python")
with_axe = pytest.mark.skipif(AXE is None, reason="no axe-core here; pip install axe-playwright-python")
# With the type in front these two messages have the same first six words, but for one capital letter.
TWINS = {"only-floating-point-and-complex", "only-floating-point-dtype"}
KINDS = (
    "symptoms/",
    *(f"symptoms/{slug}/" for slug in ("backward-a-second-time", "using-a-target-size", "no-parameter-moves")),
)


def found(page: Page, words: str) -> list[str]:
    """The pages that the search box gives for these words, the best first."""
    box = page.locator("input.md-search__input")
    results = page.locator(".md-search-result__item > a")
    box.fill("")
    box.press("End")  # the box listens to keys, and fill() presses none
    results.first.wait_for(state="detached")
    box.fill(words)
    box.press("End")
    results.first.wait_for(state="attached")
    return [str(url).partition("?")[0] for url in results.evaluate_all("links => links.map(link => link.href)")]


def first_words(page: Page, address: str, slug: str) -> tuple[str, str]:
    """The first six words of what stands on the page: as a person copies them with the type, and without."""
    page.goto(f"{address}symptoms/{slug}/")
    message = page.locator(".gc-message code")
    text = message.inner_text() if slug in MESSAGES else page.locator("h1").inner_text().removesuffix("¶")
    bare = re.sub(r"^\w+(?:Error|Warning): ", "", text)
    return " ".join(text.split()[:6]), " ".join(bare.split()[:6])


def test_the_first_six_words_of_each_symptom_give_its_page_first(address: str, browser: Any) -> None:
    reader, searcher = browser.new_page(), browser.new_page()
    searcher.goto(address)
    searcher.keyboard.press("/")
    wrong = []
    for slug in [*MESSAGES, *SILENT.split()]:
        typed, bare = first_words(reader, address, slug)
        wanted = f"{address}symptoms/{slug}/"
        for words in dict.fromkeys((typed, bare)):
            results = found(searcher, words)
            if slug in TWINS and words == typed:
                both = {f"{address}symptoms/{twin}/" for twin in TWINS}
                wrong += [] if set(results[:2]) == both else [(words, results[:3])]
            elif results[0] != wanted:
                wrong.append((words, results[:3]))
    assert wrong == []
    reader.close()
    searcher.close()


def test_the_index_leads_to_every_page_in_one_click(address: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{address}symptoms/")
    links = page.locator(".gc-symptoms a")
    urls = links.evaluate_all("links => links.map(link => link.href)")
    assert sorted(urls) == sorted(f"{address}symptoms/{slug}/" for slug in [*MESSAGES, *SILENT.split()])
    links.filter(has_text="grad can be implicitly created").click()
    assert page.url == f"{address}symptoms/only-for-scalar-outputs/"
    assert page.title() == "grad can be implicitly created only for scalar outputs - The Gradient Clinic"
    page.close()


def test_no_lesson_shows_a_symptom_without_a_page(address: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{address}symptoms/")
    assert page.get_by_role("heading", name="Shown in a lesson").count() == 0
    page.close()


def test_every_page_has_a_description_of_its_own(course: Course) -> None:
    described = {}
    for slug in [*MESSAGES, *SILENT.split()]:
        html = (course.root / "site" / "symptoms" / slug / "index.html").read_text(encoding="utf-8")
        (text,) = re.findall(r'<meta name="description" content="([^"]+)"', html)
        assert 60 <= len(text) <= 240, slug
        described[text] = slug
    assert len(described) == 63


def test_the_search_index_holds_little_of_a_symptom(course: Course) -> None:
    """The programs and what the diagnosis says stay out: each page would weigh ten times as much."""
    text = (course.root / "site" / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "symptoms/no-parameter-moves/" in text
    assert "symptoms/no-parameter-moves/#" not in text


@with_axe
@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(address: str, browser: Any, scheme: str, width: int) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    wrong = []
    for name in KINDS:
        page.goto(address + name)
        page.evaluate(axe)
        for rule in page.evaluate("axe.run(document)")["violations"]:
            if rule["impact"] in {"serious", "critical"}:
                wrong.append((name, rule["id"], [node["html"] for node in rule["nodes"]]))
    assert wrong == []
    page.close()


def test_a_phone_shows_long_messages_without_sideways_scrolling(address: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 800})
    wide = []
    for name in ("symptoms/", *(f"symptoms/{slug}/" for slug in [*MESSAGES, *SILENT.split()])):
        page.goto(address + name)
        if page.evaluate("document.documentElement.scrollWidth") > 375:
            wide.append(name)
        message = page.locator(".gc-message code")
        if message.count() and message.evaluate("code => code.scrollWidth > code.clientWidth"):
            wide.append(f"{name}: the message")
    assert wide == []
    page.close()
