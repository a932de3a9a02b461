"""The HTML of a diagnosis, in a real browser: nothing runs over its edge, and those who do not see it are told."""

from __future__ import annotations

from typing import Any, Literal

import pytest
import torch

from gradclinic import diagnose, trace

INSIDE = """() => [...document.querySelectorAll('.gc-node')].every(node => {
  const box = node.querySelector('rect, polygon').getBoundingClientRect();
  return [...node.querySelectorAll('text')].every(text => {
    const t = text.getBoundingClientRect();
    return t.left >= box.left && t.right <= box.right && t.top >= box.top && t.bottom <= box.bottom;
  });
})"""
# The least contrast of any of these to the ground of the page, as WCAG counts it.
CONTRAST = """selector => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const luminance = colour => {
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(one => one / 255);
    const [r, g, b] = parts.map(one => one <= .04045 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ground = luminance(getComputedStyle(document.body).backgroundColor);
  return Math.min(...[...document.querySelectorAll(selector)].map(one => {
    const style = getComputedStyle(one);
    const own = luminance(one.tagName === 'text' ? style.fill : style.stroke);
    return (Math.max(own, ground) + .05) / (Math.min(own, ground) + .05);
  }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_holds_its_words_and_says_what_it_shows(browser: Any, scheme: Literal["light", "dark"]) -> None:
    w, v = (torch.ones(2, requires_grad=True) for _ in range(2))
    with trace():
        a_result_of_an_operation = (w * 2).relu().exp()
        loss = (a_result_of_an_operation.detach() + v * (w * w).sum().item()).sum()
    pages = diagnose(w, loss)._repr_html_() + diagnose(v, loss)._repr_html_()
    ground = "#fff;color:#111" if scheme == "light" else "#111;color:#eee"
    page = browser.new_page(viewport={"width": 900, "height": 800}, color_scheme=scheme)
    page.set_content(f'<html lang="en"><body style="background:{ground}">{pages}</body></html>')
    assert page.evaluate(INSIDE)
    pictures = page.get_by_role("img")
    assert pictures.count() == 2
    assert len({page.locator("svg > title").nth(i).get_attribute("id") for i in range(2)}) == 2
    assert "the history ends here" in (page.locator("svg > desc").first.text_content() or "")
    assert page.locator("svg").first.locator(".gc-cross").count() == 2
    assert page.locator("svg").nth(1).locator(".gc-cross").count() == 0
    assert page.evaluate(CONTRAST, ".gc-edge.gc-missing, .gc-edge.gc-lit, .gc-cross, .gc-node > rect") >= 3
    assert page.evaluate(CONTRAST, ".gc-node text") >= 4.5
    page.close()
