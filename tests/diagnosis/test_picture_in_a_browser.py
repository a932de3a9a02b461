"""The HTML of a diagnosis, in a real browser: nothing runs over its edge, and those who do not see it are told."""

from __future__ import annotations

import shutil

import pytest
import torch

from gradclinic import diagnose, trace

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium here; on Debian and Ubuntu: sudo apt-get install chromium"
)
INSIDE = """() => [...document.querySelectorAll('.gc-node')].every(node => {
  const box = node.querySelector('rect, polygon').getBoundingClientRect();
  return [...node.querySelectorAll('text')].every(text => {
    const t = text.getBoundingClientRect();
    return t.left >= box.left && t.right <= box.right && t.top >= box.top && t.bottom <= box.bottom;
  });
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_holds_its_words_and_says_what_it_shows(scheme: str) -> None:
    from playwright.sync_api import sync_playwright

    w, v = (torch.ones(2, requires_grad=True) for _ in range(2))
    with trace():
        a_result_of_an_operation = (w * 2).relu().exp()
        loss = (a_result_of_an_operation.detach() + v * (w * w).sum().item()).sum()
    pages = diagnose(w, loss)._repr_html_() + diagnose(v, loss)._repr_html_()
    ground = "#fff;color:#111" if scheme == "light" else "#111;color:#eee"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 800})
        page.set_content(f'<html lang="en"><body style="background:{ground}">{pages}</body></html>')
        assert page.evaluate(INSIDE)
        pictures = page.get_by_role("img")
        assert pictures.count() == 2
        assert len({page.locator("svg > title").nth(i).get_attribute("id") for i in range(2)}) == 2
        assert "the history ends here" in (page.locator("svg > desc").first.text_content() or "")
        assert page.locator("svg").first.locator(".gc-cross").count() == 2
        assert page.locator("svg").nth(1).locator(".gc-cross").count() == 0
        strokes = page.evaluate("() => getComputedStyle(document.querySelector('.gc-edge.gc-missing')).stroke")
        assert strokes == "rgb(209, 68, 47)"
        browser.close()
