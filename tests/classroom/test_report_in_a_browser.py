"""The instructor's page in a real browser: it asks for nothing, serves everybody, sorts, filters and prints."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from gradclinic.classroom.report import write_report
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.submission import Problem

from .made import Fault, a_class, an_answer
from .test_report import HOSTILE, hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = importlib.util.find_spec("axe_playwright_python")
with_axe = pytest.mark.skipif(AXE is None, reason="no axe-core here; pip install axe-playwright-python")

LATE = Fault("nn", "map is None", 37, "features.retain_grad()", cause="retained_late")
SHADOWED = Fault("yn", "w.grad is None", 18, "w = w * 0.1", cause="shadowed_leaf")
FLOOD = Fault("nn", "still running after 5 s", 3, "while True: pass", cause="timeout")


def five() -> Results:
    """Five learners and two exercises of two points, all of their states, causes and points laid down here."""
    rows = (
        an_answer("ada", "leaf_or_not", SHADOWED),  # 1 of 2
        an_answer("ada", "late_retain_grad"),  # 2 of 2
        an_answer("ben", "leaf_or_not"),
        an_answer("ben", "late_retain_grad", late=True),
        an_answer("learner-10", "leaf_or_not", FLOOD),
        an_answer("learner-10", "late_retain_grad", LATE),
        an_answer("learner-9", "late_retain_grad", LATE),
    )
    return Results(
        exercises=("leaf_or_not", "late_retain_grad"),
        possible={"leaf_or_not": 2.0, "late_retain_grad": 2.0},
        learners=tuple(map(Learner, ("ada", "ben", "learner-10", "learner-9", "nobody"))),
        rows=rows,
        problems=(Problem("nobody", "nobody.zip", "the archive is broken"),),
        facts={"course": "clinic", "graded": "2026-03-02 14:05"},
    )


@contextmanager
def opened(browser: Browser, results: Results, folder: Path, *, width: int = 1280, **context: Any) -> Iterator[Page]:
    """The report by file://. In the end it has asked for nothing but itself, and said nothing on the console."""
    write_report(results, folder)
    address = (folder / "report.html").as_uri()
    page = browser.new_page(viewport={"width": width, "height": 900}, **context)
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("popup", lambda popup: said.append(popup.url))
    page.goto(address)
    yield page
    page.close()
    assert {url.partition("#")[0] for url in asked} == {address}
    assert said == []


def shown_ids(page: Page) -> list[str]:
    """The learners of the matrix, from top to bottom."""
    return page.locator("#grid tbody tr:visible th bdi").all_text_contents()


def heads(page: Page) -> list[str | None]:
    return [one.get_attribute("aria-sort") for one in page.locator("#grid thead th").all()]


def test_every_column_sorts_both_ways(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, five(), tmp_path) as page:
        assert shown_ids(page) == ["ada", "ben", "learner-10", "learner-9", "nobody"]
        assert heads(page) == ["ascending", None, None, None]
        page.get_by_role("button", name="Learner").click()
        assert shown_ids(page) == ["nobody", "learner-10", "learner-9", "ben", "ada"]
        page.get_by_role("button", name="Learner").click()
        assert shown_ids(page) == ["ada", "ben", "learner-9", "learner-10", "nobody"]
        page.get_by_role("button", name="Points").click()
        assert heads(page) == [None, "ascending", None, None]
        assert shown_ids(page) == ["learner-10", "learner-9", "nobody", "ada", "ben"]
        page.get_by_role("button", name="Points").click()
        assert heads(page) == [None, "descending", None, None]
        assert shown_ids(page) == ["ben", "ada", "learner-10", "learner-9", "nobody"]
        page.get_by_role("button", name="leaf_or_not").click()
        assert heads(page) == [None, None, "ascending", None]
        assert shown_ids(page) == ["learner-9", "nobody", "learner-10", "ada", "ben"]
        page.get_by_role("button", name="late_retain_grad").click()
        page.get_by_role("button", name="late_retain_grad").click()
        assert shown_ids(page) == ["ada", "ben", "learner-10", "learner-9", "nobody"]


@pytest.mark.parametrize(
    ("text", "exercise", "state", "cause", "left"),
    [
        ("LEARNER", "any", "any", "any", ["learner-10", "learner-9"]),
        ("", "any", "right", "any", ["ada", "ben"]),
        ("", "any", "wrong", "any", ["ada", "learner-10", "learner-9"]),
        ("", "leaf_or_not", "wrong", "any", ["ada", "learner-10"]),
        ("", "leaf_or_not", "missing", "any", ["learner-9", "nobody"]),
        ("", "any", "late", "any", ["ben"]),
        ("", "leaf_or_not", "late", "any", []),
        ("", "any", "any", "retained_late", ["learner-10", "learner-9"]),
        ("", "leaf_or_not", "any", "retained_late", []),
        ("ad", "any", "wrong", "shadowed_leaf", ["ada"]),
        ("", "leaf_or_not", "any", "any", ["ada", "ben", "learner-10", "learner-9", "nobody"]),
    ],
)
def test_filters_leave_the_learners_they_name(
    browser: Browser, tmp_path: Path, text: str, exercise: str, state: str, cause: str, left: list[str]
) -> None:
    with opened(browser, five(), tmp_path) as page:
        page.get_by_label("Learner", exact=True).fill(text)
        lists = {one: page.get_by_role("combobox", name=one) for one in ("Exercise", "State", "Cause")}
        lists["Exercise"].select_option(label=exercise)
        lists["State"].select_option(label=state)
        labels = lists["Cause"].locator("option").all_text_contents()
        lists["Cause"].select_option(label=next(label for label in labels if label.startswith(cause)))
        assert shown_ids(page) == left
        assert page.locator("details.learner:visible h3").all_text_contents() == left
        assert page.get_by_role("status").text_content() == f"{len(left)} of 5 learners"
        page.get_by_role("button", name="Clear").click()
        page.get_by_text("5 of 5 learners").wait_for()
        assert shown_ids(page) == ["ada", "ben", "learner-10", "learner-9", "nobody"]


def test_a_misconception_shows_its_learners(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, five(), tmp_path) as page:
        card = page.locator(".card", has_text="retain_grad() came after backward()")
        card.get_by_role("button", name="Show them in the matrix").click()
        page.get_by_text("2 of 5 learners", exact=True).wait_for()
        assert shown_ids(page) == ["learner-10", "learner-9"]
        assert page.locator("td.hit").count() == 2


def test_a_cell_opens_the_answer_behind_it(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, five(), tmp_path) as page:
        page.get_by_role("link", name="0/2 timeout").click()
        part = page.locator("details.learner[open]")
        assert part.locator("h3").text_content() == "learner-10"
        assert part.get_by_text("still running after 5 s").is_visible()
        assert page.locator("details.learner[open]").count() == 1
        page.get_by_role("button", name="Open all").click()
        assert page.locator("details.learner[open]").count() == 5
        page.get_by_role("button", name="Close all").click()
        assert page.locator("details.learner[open]").count() == 0


def test_without_scripts_all_of_it_is_there(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, five(), tmp_path, java_script_enabled=False) as page:
        assert page.locator("#grid tbody tr:visible").count() == 5
        assert page.locator("button:visible, input:visible, select:visible").count() == 0
        assert not page.get_by_text("still running after 5 s").is_visible()
        page.locator("summary", has_text="learner-10").click()
        assert page.get_by_text("still running after 5 s").is_visible()
        page.get_by_role("link", name="ben").click()
        assert page.get_by_text("Passed: w after three steps").first.is_visible()


def test_the_keyboard_is_enough(browser: Browser, tmp_path: Path) -> None:
    focused = "document.activeElement.textContent || document.activeElement.id"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    with opened(browser, five(), tmp_path) as page:
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == "Skip to the content"
        assert page.get_by_text("Skip to the content").bounding_box()["y"] >= 0  # type: ignore[index]
        page.keyboard.press("Enter")
        for _ in range(40):
            page.keyboard.press("Tab")
            assert page.evaluate(outline) == "solid"
            if page.evaluate("document.activeElement.id") == "f-text":
                break
        page.keyboard.type("learner")
        assert shown_ids(page) == ["learner-10", "learner-9"]
        for _ in range(5):  # three lists, the button that clears, the region of the matrix
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "scroll"
        assert page.evaluate(outline) == "solid"
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert heads(page)[0] == "descending"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert heads(page) == [None, "ascending", None, None]
        for _ in range(3):  # two more headers, then the first learner
            page.keyboard.press("Tab")
        assert page.evaluate(focused) == "learner-10"
        page.keyboard.press("Enter")
        page.get_by_text("still running after 5 s").wait_for()
        page.locator("details.learner[open] summary").focus()
        page.keyboard.press("Space")
        assert page.locator("details.learner[open]").count() == 0


@with_axe
@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_serves_everybody(browser: Browser, tmp_path: Path, width: int, scheme: Literal["light", "dark"]) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    results = a_class(14)
    below = (replace(results.rows[0], isolation="limits"), *results.rows[1:])
    with opened(browser, replace(results, rows=below), tmp_path, width=width, color_scheme=scheme) as page:
        page.get_by_role("combobox", name="State").select_option(label="wrong")
        page.locator("details.learner:visible > summary").first.click()
        page.locator("details.more > summary").click()
        page.get_by_role("button", name="Points").click()
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations', 'incomplete']})")
        assert [
            (rule["id"], rule["impact"], [node["html"] for node in rule["nodes"]]) for rule in found["violations"]
        ] == []
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [1280, 375])
def test_long_words_scroll_inside_the_matrix_only(browser: Browser, tmp_path: Path, width: int) -> None:
    with opened(browser, hostile("w" * 3000), tmp_path, width=width) as page:
        page.get_by_role("button", name="Open all").click()
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_does_nothing(browser: Browser, tmp_path: Path, text: str) -> None:
    count = "document.querySelectorAll('body, body *:not(wbr)').length"
    with opened(browser, hostile("harmless"), tmp_path) as page:
        elements = page.evaluate(count)
    with opened(browser, hostile(text), tmp_path) as page:
        assert page.evaluate(count) == elements
        page.get_by_role("button", name="Open all").click()
        page.get_by_role("button", name="Learner").click()
        page.get_by_role("combobox", name="State").select_option(label="wrong")
        page.keyboard.press("Tab")
        assert page.evaluate("window.hacked") is None
        assert page.get_by_role("status").text_content() == "1 of 2 learners"
        assert page.locator("#grid tbody tr:visible").count() == 1


def test_what_is_open_is_printed_and_the_controls_are_not(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, five(), tmp_path, color_scheme="dark") as page:
        page.locator("summary", has_text="ada").click()
        page.emulate_media(media="print")
        assert page.locator("details.learner:visible h3").all_text_contents() == ["ada"]
        assert not page.locator("form, nav, .fold").filter(visible=True).count()
        assert page.evaluate("getComputedStyle(document.querySelector('#grid thead')).display") == "table-header-group"
        boxes = "[...document.querySelectorAll('#grid thead button')].map(one => getComputedStyle(one).display)"
        assert set(page.evaluate(boxes)) == {"contents"}  # the browser repeats no button on the next sheet
        assert page.evaluate("getComputedStyle(document.querySelector('.scroll')).maxHeight") == "none"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.locator("summary", has_text="ada").evaluate("summary => summary.parentElement.open = false")
        assert not page.locator("#learners").is_visible()


@pytest.mark.parametrize(("wish", "behaviour"), [("reduce", "auto"), ("no-preference", "smooth")])
def test_nothing_moves_for_those_who_asked_for_rest(
    browser: Browser, tmp_path: Path, wish: Literal["reduce", "no-preference"], behaviour: str
) -> None:
    with opened(browser, five(), tmp_path, reduced_motion=wish) as page:
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour


def test_five_hundred_learners_open(browser: Browser, tmp_path: Path) -> None:
    start = time.monotonic()
    with opened(browser, a_class(500), tmp_path) as page:
        assert page.locator("#grid tbody tr").count() == 500
        assert page.get_by_role("status").text_content() == "500 of 500 learners"
        assert time.monotonic() - start < 30  # about a second where nothing else runs
