"""The slides of each lesson in a real browser: by keys, with notes, on paper, from a folder, for everybody."""

from __future__ import annotations

import html
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
AT = "document.elementFromPoint(innerWidth / 2, innerHeight / 2).closest('.slide').id"


@contextmanager
def opened(browser: Any, where: str, **person: Any) -> Iterator[Any]:
    """The deck at this address. In the end nothing but its own folder was asked for, and nothing complained."""
    size = {"width": person.pop("width", 1280), "height": person.pop("height", 720)}
    context = browser.new_context(viewport=size, **person)
    wrong: list[str] = []
    own = re.match(r"\w+://[^/]*/|file://.*/site/", where)
    assert own is not None
    context.on("request", lambda request: None if request.url.startswith(own[0]) else wrong.append(request.url))
    context.on("response", lambda answer: wrong.append(answer.url) if answer.status >= 400 else None)
    context.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    page = context.new_page()
    page.goto(where)
    yield page
    assert [one for one in wrong if not one.startswith("data:")] == []
    context.close()


def notes(page: Any) -> Any:
    return page.get_by_role("complementary", name="Notes")


@pytest.mark.parametrize("size", [(1280, 720), (1024, 768)])
def test_every_slide_of_every_deck_holds_all_that_stands_on_it(
    course: Course, address: str, browser: Any, size: tuple[int, int]
) -> None:
    decks = {lesson.id for lesson in course.lessons}
    assert {file.stem for file in (course.root / "site" / "slides").iterdir()} == decks
    for name in sorted(decks):
        with opened(browser, f"{address}slides/{name}.html", width=size[0], height=size[1]) as page:
            stages = page.locator(".stage").evaluate_all(
                """stages => stages.map(stage => [
                    stage.scrollHeight - stage.clientHeight,
                    stage.scrollWidth - stage.clientWidth,
                    Math.max(0, ...[...stage.querySelectorAll("pre")].map(box => box.scrollWidth - box.clientWidth)),
                    stage.style.getPropertyValue("--fit") < 0.6,
                ])"""
            )
            assert len(stages) >= 15
            assert [(name, i, *one) for i, one in enumerate(stages, 1) if any(one)] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_keys_lead_through_each_deck_from_the_first_slide_to_the_last(
    course: Course, address: str, browser: Any
) -> None:
    for lesson in course.lessons:
        with opened(browser, f"{address}slides/{lesson.id}.html") as page:
            count = page.locator(".slide").count()
            assert page.locator("h1").inner_text() == lesson.title
            for number in range(1, count + 1):
                shown = page.evaluate(f"[{AT}, document.querySelector('.controls .count').textContent]")
                assert shown == [str(number), f"{number} / {count}"]
                page.keyboard.press("ArrowRight")
            assert page.evaluate(AT) == str(count)


def test_keys_and_buttons_do_the_same_and_a_slide_has_an_address(address: str, browser: Any) -> None:
    with opened(browser, f"{address}slides/off_the_path.html#4") as page:
        assert page.evaluate(AT) == "4"
        for key, number in (
            ("PageUp", "3"),
            (" ", "4"),
            ("ArrowLeft", "3"),
            ("ArrowDown", "4"),
            ("Home", "1"),
            ("ArrowUp", "1"),
            ("PageDown", "2"),
        ):
            page.keyboard.press(key)
            assert page.evaluate(AT) == number, key
        assert page.url.endswith("#2")
        page.get_by_role("button", name="The next slide").click()
        page.get_by_role("button", name="The next slide").press("Enter")
        assert page.evaluate(AT) == "4"
        page.get_by_role("button", name="The slide before").click()
        assert page.evaluate(AT) == "3"
        page.mouse.wheel(0, 720)
        page.wait_for_function("document.querySelector('.count').textContent.startsWith('4 /')")


def test_notes_are_not_on_the_slide_until_they_are_asked_for(course: Course, address: str, browser: Any) -> None:
    lesson = course.find("off_the_path")
    with opened(browser, f"{address}slides/off_the_path.html#2") as page:
        every = [note for beat in lesson.notes.values() for note in beat]
        assert len(every) >= 5
        assert not any(page.get_by_text(note, exact=True).first.is_visible() for note in every)
        page.keyboard.press("n")
        assert notes(page).locator("li").all_inner_texts() == list(lesson.notes["predict"])
        while page.evaluate(AT) != "7":  # in the middle of a beat its notes are still there
            page.keyboard.press("ArrowRight")
        assert page.locator("[id='7']").get_attribute("data-beat") == "Investigate"
        assert notes(page).locator("li").first.is_visible()
        assert notes(page).locator("li").all_inner_texts() == list(lesson.notes["investigate"])
        page.get_by_role("button", name="Notes").click()
        assert not notes(page).is_visible()


def test_the_speaker_s_window_shows_the_notes_and_both_windows_move_together(address: str, browser: Any) -> None:
    with opened(browser, f"{address}slides/off_the_path.html#2") as page:
        with page.expect_popup() as popup:
            page.keyboard.press("s")
        speaker = popup.value
        speaker.locator(".count").wait_for()
        at = "document.querySelector('.count').textContent.split(' ')[0] === "
        speaker.wait_for_function(at + "'2'")
        assert notes(speaker).locator("li").first.is_visible()
        assert not notes(page).is_visible()
        page.keyboard.press("ArrowRight")
        speaker.wait_for_function(at + "'3'")
        assert abs(speaker.locator("[id='3']").bounding_box()["y"]) < 1
        assert 0 < speaker.locator("[id='4'] h2").bounding_box()["y"] < speaker.evaluate("innerHeight")
        speaker.keyboard.press("ArrowRight")
        speaker.keyboard.press("ArrowRight")
        page.wait_for_function(at + "'5'")
        left = speaker.locator("[id='5'] .stage").bounding_box()
        assert left["x"] + left["width"] <= notes(speaker).bounding_box()["x"]


def outputs(text: str) -> list[str]:
    found = re.findall(r'<div class="gc-output[^>]*>.*?<code>(.*?)</code>', text, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", "", one)).strip() for one in found]


def test_what_comes_out_is_what_the_lesson_s_page_shows(course: Course) -> None:
    site = course.root / "site"
    for lesson in course.lessons:
        shown = outputs((site / "slides" / f"{lesson.id}.html").read_text(encoding="utf-8"))
        page = outputs((site / "lessons" / lesson.id / "index.html").read_text(encoding="utf-8"))
        assert len(page) >= 5, lesson.id
        assert shown == page, lesson.id


def test_the_question_comes_before_its_answer_and_the_picture_steps(address: str, browser: Any) -> None:
    with opened(browser, f"{address}slides/off_the_path.html") as page:
        asked, right = (
            page.locator(".slide:has(.gc-ask)"),
            page.locator(".slide", has_text="is what this build measured"),
        )
        assert asked.locator(".stage li").count() == 4
        assert int(asked.get_attribute("id")) < int(right.get_attribute("id"))
        assert "measured" not in asked.locator(".stage").inner_text()
        pictured = page.locator(".slide-picture").first
        page.goto(f"{address}slides/off_the_path.html#{pictured.get_attribute('id')}")
        pictured.get_by_role("button", name="Next").click()
        page.keyboard.press("ArrowRight")
        assert pictured.get_by_role("status").inner_text() == "Forward, 2 of 10: mul no. 3, computed from w (leaf)."
        assert page.evaluate(AT) == pictured.get_attribute("id")


def test_paper_gets_one_slide_a_page_without_the_notes(address: str, browser: Any) -> None:
    with opened(browser, f"{address}slides/backward_first.html") as page:
        count = page.locator(".slide").count()
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == count
        page.emulate_media(media="print")
        assert not page.locator(".controls, .bar, .notes").locator("visible=true").count()


def test_without_a_script_all_slides_are_one_page(address: str, browser: Any) -> None:
    with opened(browser, f"{address}slides/backward_first.html", java_script_enabled=False) as page:
        assert all(slide.is_visible() for slide in page.locator(".slide").all())
        assert not page.locator(".notes").first.is_visible()


def test_a_deck_opens_from_a_folder(course: Course, browser: Any) -> None:
    file = course.root / "site" / "slides" / "backward_first.html"
    with opened(browser, file.as_uri()) as page:
        page.keyboard.press("ArrowRight")
        assert page.evaluate(AT) == "2"
        with page.expect_popup() as popup:
            page.keyboard.press("s")
        popup.value.locator(".count").wait_for()
        popup.value.keyboard.press("ArrowRight")
        page.wait_for_function("document.querySelector('.count').textContent.startsWith('3 ')")


def test_a_phone_reads_the_slides_as_a_page(address: str, browser: Any) -> None:
    with opened(browser, f"{address}slides/off_the_path.html", width=375, height=800) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        assert page.locator(".stage p").nth(3).evaluate("said => parseFloat(getComputedStyle(said).fontSize)") >= 14


def test_the_deck_has_the_scheme_that_was_chosen_on_the_site(address: str, browser: Any) -> None:
    with opened(browser, f"{address}lessons/backward_first/", color_scheme="light") as page:
        page.locator("label[title='Switch to the dark scheme']").first.click()
        page.get_by_role("link", name="slides").click()
        page.wait_for_url("**/slides/backward_first.html*")
        page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")


@with_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_a_deck_with_its_notes(address: str, browser: Any, scheme: str) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    with opened(browser, f"{address}slides/off_the_path.html", color_scheme=scheme, reduced_motion="reduce") as page:
        page.keyboard.press("n")
        page.evaluate(axe)
        found = page.evaluate("axe.run(document)")["violations"]
        grave = [(rule["id"], [node["html"] for node in rule["nodes"][:3]]) for rule in found]
        assert [one for one, rule in zip(grave, found, strict=True) if rule["impact"] in ("serious", "critical")] == []
