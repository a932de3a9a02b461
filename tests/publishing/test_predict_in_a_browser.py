"""Predictions, hints and progress as a reader meets them, in a real browser, on the built site."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from gradclinic.causes import CAUSES
from gradclinic.course import Course, Lesson

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Locator, Page

AXE = importlib.util.find_spec("axe_playwright_python")
with_axe = pytest.mark.skipif(AXE is None, reason="no axe-core here; pip install axe-playwright-python")

KEY = "gradclinic.predictions.v1"
LESSON = "lessons/off_the_path/"  # both, only w (measured), only history, neither
FORMAT = "gradclinic predictions, version 1"
WRONG = "retain_grad() keeps a gradient that arrives. It cannot make one arrive."
RIGHT = "The loss was computed from h. history is a copy beside it, and no gradient comes that way."
ONE = {"off_the_path": {"choice": "only w", "right": True}}


@contextmanager
def reader(browser: Browser, address: str, *, width: int = 1280, **context: Any) -> Iterator[Page]:
    """A person with an empty browser. In the end no other host was asked, and no script has failed."""
    person = browser.new_context(viewport={"width": width, "height": 900}, base_url=address, **context)
    page = person.new_page()
    wrong: list[str] = []
    person.on(
        "request", lambda request: None if request.url.startswith((address, "blob:")) else wrong.append(request.url)
    )
    person.on("weberror", lambda error: wrong.append(str(error.error)))
    person.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield page
    person.close()
    assert wrong == []


def answer(page: Page, choice: str) -> None:
    page.get_by_role("radio", name=choice, exact=True).check()
    page.get_by_role("button", name="Check my prediction").click()


def progress(page: Page) -> Locator:
    return page.get_by_role("region", name="Your predictions")


def stored(page: Page) -> Any:
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}')") or "null")


def a_file(text: str | bytes) -> FilePayload:
    data = text if isinstance(text, bytes) else text.encode()
    return {"name": "mine.json", "mimeType": "application/json", "buffer": data}


def imported(page: Page, text: str | bytes) -> str:
    """What the page says after this file was chosen."""
    status = progress(page).get_by_role("status")
    status.evaluate("status => status.textContent = ''")
    with page.expect_file_chooser() as chooser:
        progress(page).get_by_role("button", name="Import").click()
    chooser.value.set_files(a_file(text))
    page.wait_for_function("document.querySelector('.gc-status').textContent !== ''")
    return status.inner_text()


def printed_by_cell(course: Course, lesson: Lesson) -> list[str]:
    """What the cells of the published notebook printed."""
    path = course.root / "site" / "downloads" / f"{lesson.slug}-with-outputs.ipynb"
    cells = (cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    return ["".join(o.text for o in cell.outputs if o.get("name") == "stdout").strip() for cell in cells]


def test_nothing_gives_the_answer_away_before_it_was_given(course: Course, address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        for lesson in course.lessons:
            page.goto(f"lessons/{lesson.id}/")
            choices = page.get_by_role("group").get_by_role("radio")
            assert choices.count() == len(lesson.choices)
            visible = page.locator("main").inner_text()
            assert "is what this build measured" not in visible
            assert not any(" ".join(c.because.split())[:30] in visible for c in lesson.choices), lesson.id
            assert page.locator("details.gc-run").get_attribute("open") is None
            assert page.locator("details.gc-run .gc-output").is_hidden()


def test_a_wrong_answer_names_the_misconception_and_then_what_was_measured(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto(LESSON)
        assert page.get_by_role("group", name="Which of the two has a gradient after backward()?").count() == 1
        heard = page.locator(".gc-feedback")
        assert (heard.get_attribute("aria-live"), heard.inner_text()) == ("polite", "")
        answer(page, "both, w and history")
        lines = [line for line in heard.inner_text().splitlines() if line]
        assert lines == ["✗ Not this one.", WRONG, "Measured in this build: only w.", RIGHT]
        assert page.locator("details.gc-run .gc-output").is_visible()
        assert stored(page) == {"off_the_path": {"choice": "both, w and history", "right": False}}
        assert (
            "Your prediction: ✗ not right · 1 of 8 predictions answered, 0 right" in page.locator("main").inner_text()
        )


def test_a_right_answer_is_kept_over_a_reload_and_can_be_given_again(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto(LESSON)
        answer(page, "only w")
        for _ in range(2):
            said = page.locator(".gc-feedback").inner_text()
            assert [line for line in said.splitlines() if line] == ["✓ Right.", RIGHT]
            assert page.get_by_role("radio", name="only w").is_checked()
            assert page.get_by_role("radio", name="neither").is_disabled()
            page.reload()
        page.get_by_role("button", name="Predict again").click()
        assert page.locator(".gc-feedback").inner_text() == ""
        assert page.locator("details.gc-run .gc-output").is_hidden()
        assert not page.get_by_role("radio", name="only w").is_checked()
        assert stored(page) is None


def test_without_a_choice_the_button_asks_for_one(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto(LESSON)
        page.get_by_role("button", name="Check my prediction").click()
        assert page.locator(".gc-feedback").inner_text() == ""
        assert page.evaluate("document.activeElement.type") == "radio"


def test_in_every_lesson_the_choice_that_was_measured_counts_as_right(
    course: Course, address: str, browser: Browser
) -> None:
    with reader(browser, address) as page:
        for lesson in course.lessons:
            page.goto(f"lessons/{lesson.id}/")
            printed = printed_by_cell(course, lesson)
            for i, choice in enumerate(lesson.choices):
                page.get_by_role("group").get_by_role("radio").nth(i).check()
                page.get_by_role("button", name="Check my prediction").click()
                said = page.locator(".gc-feedback p").first.inner_text()
                assert said in ("✓ Right.", "✗ Not this one.")
                if said == "✓ Right.":
                    assert choice.when.strip() in printed, lesson.id
                    break
                page.get_by_role("button", name="Predict again").click()
        page.goto("")
        assert "8 of 8 predictions answered, 8 right." in progress(page).inner_text()
        assert progress(page).get_by_role("link").count() == 0  # nothing to go on with


def test_home_and_index_count_and_lead_on(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto("")
        assert "No prediction made yet. Start with 1. Backward first." in progress(page).inner_text()
        for name, choice in (("backward_first", "None, then None"), ("off_the_path", "only w")):
            page.goto(f"lessons/{name}/")
            answer(page, choice)
        page.goto("")
        assert "2 of 8 predictions answered, 1 right. Continue with " in progress(page).inner_text()
        page.goto("lessons/")
        rows = page.locator("table tr")
        assert "✗ predicted wrong" in rows.filter(has_text="1. Backward first").inner_text()
        assert "✓ predicted right" in rows.filter(has_text="5. Off the path").inner_text()
        assert "predicted" not in rows.filter(has_text="3. Leaf or not").inner_text()
        progress(page).get_by_role("link", name="2. Nobody asked for it").click()
        assert page.url.endswith("/lessons/requires_grad_false/")


def test_a_page_in_another_tab_follows(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto("")
        other = page.context.new_page()
        other.goto(LESSON)
        answer(other, "only w")
        progress(page).get_by_text("1 of 8 predictions answered, 1 right.").wait_for()


def test_reset_asks_twice(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto(LESSON)
        answer(page, "only w")
        page.goto("")
        status = progress(page).get_by_role("status")
        progress(page).get_by_role("button", name="Reset").click()
        assert "Press the same button again" in status.inner_text()
        assert stored(page) == ONE
        page.keyboard.press("Escape")
        assert (status.inner_text(), stored(page)) == ("Kept.", ONE)
        progress(page).get_by_role("button", name="Reset").click()
        progress(page).get_by_role("button", name="Yes, forget 1 answer").click()
        assert status.inner_text() == "All answers are forgotten."
        assert stored(page) is None
        assert "No prediction made yet." in progress(page).inner_text()
        assert page.evaluate("document.activeElement.textContent") == "Import"


def test_what_was_exported_can_be_imported_elsewhere(address: str, browser: Browser, tmp_path: Path) -> None:
    with reader(browser, address) as page:
        page.goto(LESSON)
        answer(page, "only w")
        page.goto("lessons/")
        with page.expect_download() as download:
            progress(page).get_by_role("button", name="Export").click()
        assert download.value.suggested_filename == "gradclinic-predictions.json"
        download.value.save_as(tmp_path / "mine.json")
    text = (tmp_path / "mine.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"format": FORMAT, "answers": ONE}
    with reader(browser, address) as page:
        page.goto("lessons/backward_first/")
        answer(page, "None, then None")
        page.goto("")
        assert imported(page, text) == "1 answer imported."
        assert "2 of 8 predictions answered, 1 right." in progress(page).inner_text()
        page.goto(LESSON)
        assert page.locator(".gc-feedback").inner_text().startswith("✓ Right.")


def a_table(answers: Any, form: str = FORMAT) -> str:
    return json.dumps({"format": form, "answers": answers})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is not JSON"),
        (a_table(ONE)[:-9], "the file is not JSON, or a part of it is missing."),
        (b"\xff\xfe\x00\x01", "the file is not JSON"),
        ("null", "this is another kind of file."),
        ("[1, 2]", "this is another kind of file."),
        ('{"cells": []}', "this is another kind of file."),
        (a_table([1]), "this is another kind of file."),
        (a_table(ONE, "gradclinic predictions, version 9"), "version 9”, and this site reads “gradclinic"),
        ("[" * 100_001, "the file is larger than 100 kB"),
    ],
    ids=["empty", "cut-short", "bytes", "null", "a-list", "a-notebook", "no-table", "newer", "large"],
)
def test_a_file_that_does_not_fit_is_refused_in_words(
    address: str, browser: Browser, text: str | bytes, said: str
) -> None:
    with reader(browser, address) as page:
        page.goto("")
        told = imported(page, text)
        assert told.startswith("Nothing was imported: ")
        assert said in told
        assert stored(page) is None


def test_of_a_file_that_fits_in_part_the_rest_is_named_and_shown_as_text(address: str, browser: Browser) -> None:
    evil = "<img src=x onerror=alert(1)>"
    answers = {**ONE, evil: ONE["off_the_path"], "leaf_or_not": {"choice": "None"}, "in_place_add": None}
    text = a_table(answers).replace('{"off', '{"__proto__": {"choice": "x", "right": true}, "off', 1)
    with reader(browser, address) as page:
        page.goto("")
        told = imported(page, text)
        assert told.startswith(
            "1 answer imported. Left out: “__proto__”, “<img src=x onerror=alert(1)>”, “leaf_or_not” and 1 more"
        )
        assert page.locator(".gc-status img").count() == 0
        assert stored(page) == ONE


@pytest.mark.parametrize(
    "text", ["", "{", "null", "7", '"x"', "[]", '{"off_the_path": 3}', '{"off_the_path": {"right": "yes"}}']
)
def test_damage_in_the_storage_counts_as_no_answer(address: str, browser: Browser, text: str) -> None:
    with reader(browser, address) as page:
        page.goto("")
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
        page.goto(LESSON)
        assert page.get_by_role("button", name="Check my prediction").is_enabled()
        answer(page, "only w")
        assert stored(page) == ONE


def test_an_answer_to_a_question_that_has_changed_is_asked_again(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto("")
        old = json.dumps({"off_the_path": {"choice": "an old choice", "right": True}})
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, old])
        page.goto(LESSON)
        assert page.locator(".gc-feedback").inner_text() == ""
        answer(page, "neither")
        assert stored(page) == {"off_the_path": {"choice": "neither", "right": False}}


def test_where_the_browser_keeps_nothing_the_quiz_works_and_says_so(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        # As in a window that keeps nothing. The theme's own entries go on: without them its script fails by itself.
        page.add_init_script(
            """for (const name of ["getItem", "setItem", "removeItem"]) {
              const real = Storage.prototype[name];
              Storage.prototype[name] = function (key, ...rest) {
                if (key.startsWith("gradclinic")) throw new DOMException("denied", "SecurityError");
                return real.call(this, key, ...rest);
              };
            }"""
        )
        page.goto(LESSON)
        answer(page, "only w")
        assert page.locator(".gc-feedback").inner_text().startswith("✓ Right.")
        page.goto("")
        assert "This browser keeps nothing" in progress(page).inner_text()
        assert imported(page, a_table(ONE)) == "1 answer imported."
        assert "1 of 8 predictions answered, 1 right." in progress(page).inner_text()


def test_the_keyboard_is_enough(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto(LESSON)
        page.get_by_role("link", name="Your prediction").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")  # from the place that the link leads to
        assert page.evaluate("document.activeElement.type") == "radio"
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        assert page.get_by_role("radio", name="only w").is_checked()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Check my prediction"
        page.keyboard.press("Enter")
        assert page.locator(".gc-feedback").inner_text().startswith("✓ Right.")
        assert page.evaluate("document.activeElement.textContent") == "Predict again"  # focus is where it was
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.type") == "radio"
        hints = page.locator("details.gc-hint > summary")
        hints.nth(1).focus()
        page.keyboard.press("Enter")
        assert not page.locator("details.gc-hint").nth(1).evaluate("hint => hint.open")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        page.wait_for_function("document.querySelectorAll('summary[aria-disabled]').length === 1")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        opened = page.locator("details.gc-hint").evaluate_all("hints => hints.map(hint => hint.open)")
        assert opened == [True, True, False]


def test_hints_open_one_at_a_time_and_the_solution_behind_a_second_click(address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        page.goto(LESSON)
        hints = page.locator("details.gc-hint")
        state = "hints => hints.map(hint => hint.open)"
        words = [" ".join(text.split()) for text in hints.locator("summary").all_inner_texts()]
        assert words == ["Hint 1 of 3", "Hint 2 of 3 · open hint 1 first", "Hint 3 of 3 · open hint 2 first"]
        hints.nth(2).locator("summary").click()
        hints.nth(1).locator("summary").click()
        assert hints.evaluate_all(state) == [False, False, False]
        assert hints.locator("summary[aria-disabled=true]").count() == 2
        for i in range(3):
            hints.nth(i).locator("summary").click()
            page.wait_for_function(
                "n => document.querySelectorAll('summary[aria-disabled]').length === n", arg=max(0, 1 - i)
            )
        assert hints.evaluate_all(state) == [True, True, True]
        solution = page.locator("details.gc-solution")
        solution.locator("summary").first.click()
        assert solution.locator("code").last.is_hidden()
        solution.locator("summary", has_text="I have tried: show it").click()
        assert solution.locator("code").last.is_visible()


def test_code_is_copied_with_one_click_and_the_exercise_names_its_file(
    address: str, browser: Browser, course: Course
) -> None:
    with reader(browser, address, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(LESSON)
        page.locator("details", has=page.locator("summary", has_text="The exercise:")).locator("summary").click()
        block = page.locator("details.example .highlight")
        assert block.locator(".filename").inner_text() == "lessons/05_off_the_path/exercise.py"
        block.hover()
        block.locator("button, .md-clipboard").first.click()
        page.wait_for_function("navigator.clipboard.readText().then(text => text.length > 0)")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == course.find("off_the_path").exercise_file.read_text(encoding="utf-8").strip()


@pytest.mark.parametrize("width", [1280, 375])
def test_a_lesson_ends_with_the_titles_of_its_neighbours(address: str, browser: Browser, width: int) -> None:
    with reader(browser, address, width=width) as page:
        page.goto(LESSON)
        links = page.locator(".md-footer__link")
        texts = [re.sub(r"\s+", " ", text).strip() for text in links.all_inner_texts()]
        assert texts == ["Previous Late retain_grad", "Next Written in place"]


def test_every_download_and_every_cause_is_there(course: Course, address: str, browser: Browser) -> None:
    with reader(browser, address) as page:
        for lesson in course.lessons:
            page.goto(f"lessons/{lesson.id}/")
            links = page.locator("main a[download]")
            assert links.all_inner_texts() == ["notebook", "notebook with outputs", "Python file"]
            for link in links.all():
                assert page.request.get(link.evaluate("link => link.href")).ok
            for cause in lesson.strings("causes"):
                assert page.locator("main").get_by_role("link", name=CAUSES[cause].title).count() >= 1


def test_without_javascript_there_is_a_list_a_folded_answer_and_open_hints(address: str, browser: Browser) -> None:
    with reader(browser, address, java_script_enabled=False) as page:
        page.goto(LESSON)
        block = page.locator(".gc-predict")
        assert block.locator("> ul > li").all_inner_texts() == [
            "A. both, w and history",
            "B. only w",
            "C. only history",
            "D. neither",
        ]
        folded = block.locator("details")
        assert folded.locator("li").first.is_hidden()
        folded.locator("summary").click()
        assert folded.locator("li").nth(1).inner_text() == f"B. only w: right. {RIGHT}"
        assert page.get_by_role("radio", name="only w").count() == 0
        last = page.locator("details.gc-hint").nth(2)
        last.locator("summary").click()
        assert last.locator("p").last.is_visible()
        assert page.locator(".gc-progress").is_hidden()


@with_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_everybody_can_use_it_and_nothing_scrolls_sideways(
    address: str, browser: Browser, scheme: str, width: int
) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    found: list[Any] = []
    with reader(browser, address, width=width, color_scheme=scheme, reduced_motion="reduce") as page:

        def look(where: str) -> None:
            page.evaluate(axe)
            rules = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            grave = [rule for rule in rules if rule["impact"] in ("serious", "critical")]
            found.extend((where, rule["id"], [node["html"] for node in rule["nodes"]]) for rule in grave)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, where

        page.goto(LESSON)
        look("before")
        answer(page, "both, w and history")
        for summary in page.locator("details.gc-hint > summary").all()[:2]:
            summary.click()
        page.locator("details.gc-solution summary").first.click()
        look("answered wrong")
        page.goto("lessons/leaf_or_not/")
        answer(page, "None")
        look("answered right")
        for name in ("", "lessons/"):
            page.goto(name)
            progress(page).get_by_role("button", name="Reset").click()
            look(f"progress on {name or 'home'}")
    assert found == []
