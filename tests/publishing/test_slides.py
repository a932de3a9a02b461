"""The deck of a lesson: which slides it has, and what stands on them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gradclinic.claims import ClaimResult
from gradclinic.publishing.execute import ExecutedLesson
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.reading import read_story
from gradclinic.publishing.slides import Slide, deck, slides

LONG = "\n\n\n".join("def f():\n" + "\n".join(f"    x = {i}" for i in range(8)) for _ in range(4))
CELLS = f"""
# %% [markdown]
# ## Predict
#
# Two numbers.

# %% tags=["predict"]
total = 1 + 1

# %% [markdown]
# ## Run

# %% tags=["run"]
print(total)

# %% tags=["asking"]
{LONG}

# %% [markdown]
# A first thought.
#
# ### Why
#
# A [second](other.md) thought.
#
# It leads to this:

# %% tags=["fold-output", "claim-Q1"]
print("shown later")

# %% tags=["remove-cell"]
hidden = 1

# %% [markdown]
# ## Make
#
# Repair it.
"""
CLAIM = ClaimResult("Q1", "Q", "It prints nothing.", "false", "false", "It printed.", "2.9.9+cpu")


@pytest.fixture
def executed(workshop: Any) -> ExecutedLesson:
    story = read_story(workshop.write(CELLS))
    printed = {"run": "2\n", "asking": "name 'lost' is not defined\n", "fold-output": "shown later\n"}
    outputs = [tuple(Piece("prints", printed[tag]) for tag in cell.tags if tag in printed) for cell in story.cells]
    return ExecutedLesson(story, tuple(outputs), {}, (), "2.9.9+cpu", "2026-01-02")


def told(slide: Slide) -> tuple[str, str, str]:
    return slide.kind, slide.beat, slide.heading


def test_one_slide_for_each_program_and_for_what_is_only_said(executed: ExecutedLesson) -> None:
    made = slides(executed, {"Q1": CLAIM})
    assert [told(slide) for slide in made] == [
        ("title", "", "Tiny"),
        ("predict", "Predict", "Predict"),
        ("code", "Run", "Run"),
        ("text", "Run", "Run"),  # the answers
        ("code", "Run", "Run"),  # two of the four definitions
        ("code", "Run", "Run"),  # the others
        ("code", "Run", "Run"),  # their output
        ("text", "Run", "Run"),
        ("code", "Run", "Why"),
        ("code", "Run", "Why"),
        ("text", "Make", "Make"),
    ]
    text = ["\n".join(slide.parts) for slide in made]
    assert "What does 1 + 1 print?" in text[0]
    assert "5 minutes to teach, 7 for the exercise · run with torch 2.9.9 on 2026-01-02" in text[0]
    assert all(part in text[1] for part in ("Two numbers.", "total = 1 + 1", "What will it print?", "- **B.** three"))
    assert "is what this build measured" not in text[1] + text[2]
    assert "**A** is what this build measured." in text[3]
    assert [part.count("def f()") for part in text[4:7]] == [2, 2, 0]
    assert "It leads to this:" in text[8]
    assert not {"shown later\n```", "It prints nothing."} & {
        *re.findall(r"shown later\n```|It prints nothing\.", text[8])
    }
    assert all(part in text[9] for part in ("shown later\n```", "It prints nothing.", "The claim is **false**."))
    assert "lessons/01_tiny/exercise.py" in text[10]
    assert not any("hidden = 1" in part for part in text)


def test_the_notes_of_a_beat_stand_hidden_in_its_first_slide_and_links_lead_to_pages(executed: ExecutedLesson) -> None:
    html = deck(executed, {"Q1": CLAIM})
    sections = html.split("<section ")[1:]
    assert len(sections) == 11
    assert ['<aside class="notes" hidden>' in section for section in sections] == [False, True] + [False] * 9
    assert "<li>Ask: who says three?</li>" in sections[1]
    assert '<a href="../lessons/other/">second</a>' in html


def test_a_deck_names_no_other_host_and_holds_no_hint_and_no_solution(executed: ExecutedLesson) -> None:
    html = deck(executed, {"Q1": CLAIM})
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", html)
    assert "Count on your fingers." not in html
    assert "def two(): return 2" not in html
