"""The page "Why is it None?" in a real browser: by keyboard, by address, as a list, in every light."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from .test_why import CAUSES

AXE = importlib.util.find_spec("axe_playwright_python")
with_axe = pytest.mark.skipif(AXE is None, reason="no axe-core here; pip install axe-playwright-python")

# A step of each kind: the first, a long line with many answers, a cause, an end that is none.
STEPS = ("", "#step-error", "#step-operations", "#end-flag_on_module", "#end-nothing_lost")


@contextmanager
def opened(browser: Any, address: str, step: str = "", **person: Any) -> Iterator[Any]:
    """The page at this step. In the end it has asked no other host, and said nothing on the console."""
    context = browser.new_context(viewport={"width": person.pop("width", 1280), "height": 900}, **person)
    page = context.new_page()
    wrong: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{address}why/{step}")
    yield page
    assert wrong == []
    context.close()


def asked(page: Any) -> str:
    return str(page.locator("#why-heading").inner_text())


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.textContent.trim()"))


def wait_for(page: Any, question: str) -> None:
    """Until this is asked, and has the focus, so that it is read out."""
    page.wait_for_function("name => document.activeElement.textContent.trim() === name", arg=question)
    assert asked(page) == question


def test_without_a_script_the_list_is_complete(address: str, browser: Any) -> None:
    with opened(browser, address, java_script_enabled=False) as page:
        names = page.locator(".why li .why-name a")
        assert names.count() == 38
        assert all(name.is_visible() for name in names.all())
        assert page.locator(".why .why-ask").count() == 28
        assert page.locator(".why .why-line code").count() == 28
        pages = {name.get_attribute("href").rstrip("/").rpartition("/")[2] for name in names.all()}
        assert pages == set(CAUSES)
        assert page.locator(".why-panel").count() == 0
        item = page.locator("li:has(> #end-accumulated)")
        assert item.inner_text().splitlines() == [
            "False: something was there before",
            "The gradient is the sum of several backward passes",
            "In its program x.grad shows tensor(-18.).",
        ]
        page.locator("#end-accumulated a").click()
        assert page.url == f"{address}causes/accumulated/"


def test_by_keyboard_alone_to_an_end_and_back(address: str, browser: Any) -> None:
    with opened(browser, address) as page:
        assert asked(page) == "Did an error stop the program?"
        assert not page.locator(".why").is_visible()
        page.locator("#why-heading").focus()
        way = [  # how many answers the Tab key passes, and what is asked then
            (1, "Is the gradient None?", "step-none"),
            (1, "Is x a leaf?", "step-leaf"),
            (1, "Was it asked to keep its gradient?", "step-retained"),
            (2, "Does the loss depend on this x?", "step-path_of_result"),
            (2, "The cause: retain_grad() came after backward()", "end-retained_late"),
        ]
        for answers, question, step in way:
            page.keyboard.press("Tab")  # the button that copies the line
            for _ in range(answers):
                page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            wait_for(page, question)
            assert page.url == f"{address}why/#{step}"
        answers = page.get_by_role("navigation", name="Your answers").locator("li").all_inner_texts()
        assert answers == [
            "Did an error stop the program? None: the program ran to its end",
            "Is the gradient None? True",
            "Is x a leaf? False: it is the result of an operation",
            "Was it asked to keep its gradient? True: retain_grad() was called",
            "Does the loss depend on this x? tensor: it does, so retain_grad() came too late",
        ]
        page.keyboard.press("Tab")
        assert focused(page) == "Its page: the program, the reason, the fix"
        page.keyboard.press("Tab")
        assert focused(page) == "Back"
        page.keyboard.press("Enter")
        wait_for(page, "Does the loss depend on this x?")
        page.go_back()
        wait_for(page, "The cause: retain_grad() came after backward()")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}causes/retained_late/")
        page.go_back()
        wait_for(page, "The cause: retain_grad() came after backward()")


def test_every_step_has_an_address_and_knows_the_answers_that_led_to_it(address: str, browser: Any) -> None:
    with opened(browser, address) as page:
        steps = page.locator(".why .why-step").evaluate_all("steps => steps.map(step => step.id)")
        assert len(steps) == len(set(steps)) == 28 + 38 + 2
        for step in steps:
            page.goto(f"{address}why/#{step}")
            name = page.locator(f"#{step} .why-ask, #{step} .why-name").first.text_content()
            page.wait_for_function("name => document.activeElement.textContent.endsWith(name)", arg=name)
        page.goto(f"{address}why/#end-unused")
        page.wait_for_function("document.querySelectorAll('.why-trail li').length === 9")


def test_another_way_to_a_shared_question_is_remembered(address: str, browser: Any) -> None:
    with opened(browser, address) as page:
        for answer in ("does not require grad and does not have a grad_fn", "False", "so it was cut on its way"):
            page.locator(".why-choices a", has_text=answer).click()
        assert asked(page) == "Does something take the value and leave the history behind?"
        assert page.locator(".why-trail li").count() == 3
        page.reload()
        assert page.locator(".why-trail li").count() == 3
        page.get_by_role("link", name="Start again").click()
        assert asked(page) == "Did an error stop the program?"
        assert page.locator(".why-trail").count() == 0


def test_an_unknown_address_is_the_first_question(address: str, browser: Any) -> None:
    for step in ("#step-gone", "#%", "#the-questions"):
        with opened(browser, address, step) as page:
            assert asked(page) == "Did an error stop the program?"


def test_the_list_can_be_shown_and_the_line_and_the_address_copied(address: str, browser: Any) -> None:
    with opened(browser, address, "#step-leaf", permissions=["clipboard-read", "clipboard-write"]) as page:
        whole = page.get_by_role("button", name="Show all questions as a list")
        assert whole.get_attribute("aria-expanded") == "false"
        whole.click()
        assert page.locator("#end-nonfinite_derivative").is_visible()
        page.get_by_role("button", name="Copy", exact=True).click()
        page.get_by_role("button", name="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == "x.is_leaf"
        page.get_by_role("button", name="Copy the address of this step").click()
        page.wait_for_function("document.querySelectorAll('.why-panel button').length === 2")
        page.wait_for_function("navigator.clipboard.readText().then(text => text.endsWith('/why/#step-leaf'))")


def test_home_symptoms_and_a_cause_lead_here(address: str, browser: Any) -> None:
    with opened(browser, address) as page:
        for name in ("", "symptoms/"):
            page.goto(address + name)
            page.locator("article a[href$='why/']").first.click()
            assert asked(page) == "Did an error stop the program?"
        page.goto(f"{address}causes/stale_optimizer/")
        way = page.locator("h2#how-to-tell ~ ol").first.locator("li").all_inner_texts()
        assert way[0].splitlines() == ["Did an error stop the program?", "str(error) shows None"]
        assert way[-1].splitlines() == ["Does the model know it?", "any(x is p for p in model.parameters()) shows True"]
        page.get_by_role("link", name="Does the model know it?").click()
        assert asked(page) == "Does the model know it?"


@with_axe
@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    address: str, browser: Any, scheme: str, width: int
) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    grave = []
    with opened(browser, address, width=width, color_scheme=scheme) as page:
        for step in (*STEPS, "list"):
            if step == "list":
                page.get_by_role("button", name="Show all questions as a list").click()
            else:
                page.goto("about:blank")
                page.goto(f"{address}why/{step}")
                page.evaluate(axe)
            for rule in page.evaluate("axe.run(document)")["violations"]:
                if rule["impact"] in {"serious", "critical"}:
                    grave.append((step, rule["id"], [node["html"] for node in rule["nodes"]]))
            assert page.evaluate("document.documentElement.scrollWidth") <= width, step
    assert grave == []
