"""Stepping through a picture in a real browser: by keys and by clicks, forward and backward, in every light."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gradclinic.course import Course

AXE = importlib.util.find_spec("axe_playwright_python")
with_axe = pytest.mark.skipif(AXE is None, reason="no axe-core here; pip install axe-playwright-python")

LESSON = "lessons/off_the_path/"
WHOLE = "The whole picture. It has 20 steps: forward, then backward."
STEPS = [
    "Forward, 1 of 10: given: w (leaf).",
    "Forward, 2 of 10: mul no. 3, computed from w (leaf).",
    "Forward, 3 of 10: steps[0] (tanh), computed from mul no. 3.",
    "Forward, 4 of 10: mul no. 2, computed from w (leaf) and steps[0] (tanh).",
    "Forward, 5 of 10: steps[1] (tanh), computed from mul no. 2.",
    "Forward, 6 of 10: mul no. 1, computed from w (leaf) and steps[1] (tanh).",
    "Forward, 7 of 10: h (tanh), computed from mul no. 1.",
    "Forward, 8 of 10: sub, computed from h (tanh).",
    "Forward, 9 of 10: history (stack), computed from steps[0] (tanh), steps[1] (tanh) and h (tanh).",
    "Forward, 10 of 10: loss (pow), computed from sub.",
    "Backward, 1 of 10: the way starts at loss (pow); it goes on to sub.",
    "Backward, 2 of 10: the way comes to sub; it goes on to h (tanh).",
    "Backward, 3 of 10: the way comes to h (tanh); its .grad is None; it goes on to mul no. 1.",
    "Backward, 4 of 10: the way comes to mul no. 1; it goes on to w (leaf) and steps[1] (tanh).",
    "Backward, 5 of 10: the way comes to steps[1] (tanh); its .grad is None; it goes on to mul no. 2.",
    "Backward, 6 of 10: the way comes to mul no. 2; it goes on to w (leaf) and steps[0] (tanh).",
    "Backward, 7 of 10: the way comes to steps[0] (tanh); its .grad is None; it goes on to mul no. 3.",
    "Backward, 8 of 10: the way comes to mul no. 3; it goes on to w (leaf).",
    "Backward, 9 of 10: the way comes to w (leaf); its .grad is filled.",
    "Backward, 10 of 10: the way does not come to history (stack); not reached from the loss; its .grad is None.",
]
NAMES = {"loss", "sub", "history", "h", "mul", "steps[1]", "steps[0]", "w"}


@contextmanager
def opened(browser: Any, address: str, name: str = LESSON, **person: Any) -> Iterator[Any]:
    """The page's first picture. In the end the page has asked no other host, and said nothing on the console."""
    context = browser.new_context(viewport={"width": person.pop("width", 1280), "height": 900}, **person)
    page = context.new_page()
    wrong: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address + name)
    yield page.locator(".gc-figure").first
    assert wrong == []
    context.close()


def shown(picture: Any) -> tuple[str, set[str]]:
    """What is said, and the first lines of the nodes that stand out."""
    names = picture.locator(".gc-node.gc-now").evaluate_all(
        "all => all.map(node => node.querySelector('text').textContent)"
    )
    return picture.get_by_role("status").inner_text(), set(names)


def subject(said: str) -> str:
    """The node that the sentence is about: its name, without what it is and which of several."""
    text = re.sub(r"^\w+, \d+ of \d+: (given: |the way (comes to|starts at|does not come to) )?", "", said)
    return re.split(r" \(| no\.|[,;]", text)[0]


def test_every_lesson_and_every_cause_has_a_picture_and_its_steps(course: Course) -> None:
    for kind, least in (("lessons", 8), ("causes", 38)):
        pages = [
            page
            for page in sorted((course.root / "docs" / kind).glob("*.md"))
            if page.stem not in ("index", "timetable")
        ]
        assert len(pages) >= least
        for page in pages:
            text = page.read_text(encoding="utf-8")
            assert text.count('<svg class="gc-graph"') == text.count('<details class="gc-steps"') >= 1, page.name


def test_by_keys_to_the_end_and_back(address: str, browser: Any) -> None:
    with opened(browser, address) as picture:
        keyboard = picture.page.keyboard
        assert shown(picture) == (WHOLE, set())
        picture.get_by_role("button", name="Next").focus()
        for step in STEPS:
            keyboard.press("ArrowRight")
            said, names = shown(picture)
            assert said == step
            assert names == {subject(step)} <= NAMES
        keyboard.press("ArrowRight")
        assert shown(picture)[0] == STEPS[-1]
        for step in [*reversed(STEPS[:-1]), WHOLE, WHOLE]:
            keyboard.press("ArrowLeft")
            assert shown(picture)[0] == step
        assert picture.locator(".gc-now, .gc-past").count() == 0
        keyboard.press("End")
        assert shown(picture)[0] == STEPS[-1]
        keyboard.press("Home")
        assert shown(picture)[0] == WHOLE


def test_by_clicks_with_the_way_lit_as_far_as_it_was_gone(address: str, browser: Any) -> None:
    with opened(browser, address) as picture:
        back, on = (picture.get_by_role("button", name=name) for name in ("Back", "Next"))
        assert (back.get_attribute("aria-disabled"), on.get_attribute("aria-disabled")) == ("true", "false")
        for _ in range(13):
            on.click()
        assert shown(picture) == (STEPS[12], {"h"})
        lit = picture.locator(".gc-node.gc-past").evaluate_all(
            "all => all.map(node => node.querySelector('text').textContent)"
        )
        assert lit == ["loss", "sub", "h"]
        assert picture.locator(".gc-edge.gc-past").count() == 3  # the third leads on to what comes next
        for _ in range(7):
            on.click()
        assert (back.get_attribute("aria-disabled"), on.get_attribute("aria-disabled")) == ("false", "true")
        assert picture.locator(".gc-edge.gc-now.gc-missing, .gc-cross.gc-now").count() == 2
        back.click()
        assert shown(picture) == (STEPS[18], {"w"})


def test_at_a_cut_the_way_stops(address: str, browser: Any) -> None:
    with opened(browser, address, "causes/detached/") as picture:
        picture.get_by_role("button", name="Next").focus()
        picture.page.keyboard.press("End")
        assert shown(picture)[0].startswith("Backward, 5 of 5: the way does not come to parameter of shape (3,)")
        picture.page.keyboard.press("ArrowLeft")
        picture.page.keyboard.press("ArrowLeft")
        said, names = shown(picture)
        assert said == ("Backward, 3 of 5: the way does not come to detach (program.py:6); the history ends here.")
        assert names == {"detach"}
        assert picture.locator(".gc-cross.gc-now").count() == 1


def test_without_a_script_the_picture_is_whole_and_the_steps_are_a_list(address: str, browser: Any) -> None:
    with opened(browser, address, java_script_enabled=False) as picture:
        assert picture.locator("button").count() == 0
        assert picture.locator(".gc-graph.gc-stepping").count() == 0
        steps = picture.locator(".gc-steps")
        steps.locator("summary").click()
        assert steps.locator("li").all_inner_texts() == STEPS


def test_other_keys_and_keys_elsewhere_move_nothing(address: str, browser: Any) -> None:
    with opened(browser, address) as picture:
        picture.page.keyboard.press("ArrowRight")
        assert shown(picture)[0] == WHOLE
        picture.get_by_role("button", name="Next").focus()
        for key in ("ArrowDown", "Control+ArrowRight", "a"):
            picture.page.keyboard.press(key)
            assert shown(picture)[0] == WHOLE


@pytest.mark.parametrize(("motion", "name"), [("reduce", "none"), ("no-preference", "gc-flow")])
def test_nothing_moves_for_whoever_asks_for_rest(address: str, browser: Any, motion: str, name: str) -> None:
    with opened(browser, address, reduced_motion=motion) as picture:
        picture.get_by_role("button", name="Next").press("ArrowRight")
        picture.page.keyboard.press("ArrowRight")
        line = picture.locator(".gc-edge.gc-now")
        assert line.evaluate("line => getComputedStyle(line).animationName") == name


@with_axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_axe_finds_nothing_serious_with_a_step_shown_and_the_focus_is_seen(
    address: str, browser: Any, scheme: str, width: int
) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    with opened(browser, address, width=width, color_scheme=scheme) as picture:
        button = picture.get_by_role("button", name="Next")
        button.focus()
        picture.page.keyboard.press("ArrowRight")
        assert button.evaluate("button => getComputedStyle(button).outlineStyle") == "solid"
        picture.page.evaluate(Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
        found = picture.page.evaluate("axe.run(document)")["violations"]
        assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []
        assert picture.page.evaluate("document.documentElement.scrollWidth") <= width
