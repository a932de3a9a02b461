"""The order of the files, and the browser of all tests: two of them in one process cannot be driven at once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

# A worker takes one file after the other: the longest first, so that none is left over in the end.
LONGEST = (
    "test_course_answers",
    "test_every_page",
    "test_symptoms_in_a_browser",
    "test_attacks",
    "test_check",
    "test_cases",
    "test_predict_in_a_browser",
    "test_run_inside",
    "test_grade",
    "test_cause_pages",
    "test_slides_in_a_browser",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    if found is None:
        pytest.skip("no Chromium here; on Debian and Ubuntu: sudo apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
