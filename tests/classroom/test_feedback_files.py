"""What a learner gets to read, and that their own text does nothing in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradclinic.causes import CAUSES
from gradclinic.classroom.feedback_files import block, feedback, span
from gradclinic.classroom.results import Learner
from gradclinic.classroom.submission import Problem

from .small_class import HOSTILE, NEVER, check, results, right, row


def outside(page: str) -> str:
    """The page without its code blocks and code spans, by CommonMark's rules for both."""
    lines, fence = [], ""
    for line in page.split("\n"):
        found = re.match(r"(`{3,})", line)
        if fence:
            fence = "" if found and line.strip() == found[1] and len(found[1]) >= len(fence) else fence
        elif found:
            fence = found[1]
        else:
            lines.append(line)
    assert not fence
    return re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "CODE", "\n".join(lines))


def test_a_page_is_told_literally() -> None:
    made = results(
        right("ada", late=True),
        row("ada", "slope", NEVER),
        problems=(Problem("ada", "ada/notes.txt", "only .py files are read"), Problem("ben", "ben/x", "secret")),
    )
    cause = CAUSES["no_backward"]
    assert feedback(made, Learner("ada", "Ada A.")) == (
        f"""\
# Feedback for ` Ada A. `

2 of 5 points; 1 of 2 exercises right.

## double: 2 of 2 checks pass

2 of 2 points. It was handed in late.

## slope: 0 of 1 checks pass

0 of 3 points.

```text
  test_the_slope: the slope is None
  cause: no_backward - No backward pass has put a gradient there yet
  exercise.py:4
    return w.grad
  got       None
  expected  1.5, 2
  next: Call `loss.backward()` once, on the loss, and read `.grad` after it.
  hint: gradclinic hint slope
```

**{cause.title}.** {cause.explanation} {cause.fix}

## What could not be graded

```text
ada/notes.txt: only .py files are read
```
"""
    )


def test_what_is_missing_is_named() -> None:
    page = feedback(results(right("ada")), Learner("ada"))
    assert "## slope: nothing was handed in\n\n0 of 3 points." in page


REFUSED = "no answer that could be graded"


@pytest.mark.parametrize(("meant", "said"), [("slope", REFUSED), ("", REFUSED), ("double", "nothing was handed in")])
def test_what_was_handed_in_and_refused_is_not_called_missing(meant: str, said: str) -> None:
    made = results(right("ada"), problems=(Problem("ada", "ada/slope.py", "It is empty.", meant),))
    assert f"## slope: {said}\n\n0 of 3 points." in feedback(made, Learner("ada"))


def test_the_cause_behind_a_cause_is_explained_too() -> None:
    failed = check(
        "test_x", False, cause="loss_has_no_graph", root="cut_by_detach" if "cut_by_detach" in CAUSES else "off"
    )
    page = feedback(results(row("ada", "double", failed)), Learner("ada"))
    for name in (failed["cause"], failed["root"]):
        if name in CAUSES:
            assert CAUSES[name].explanation in page


def test_warnings_and_remarks_are_told_and_prints_shown() -> None:
    passed = check("test_x", warnings=["line 2: UserWarning: odd"], remarks=["it kept the graph"], prints="hello\n")
    page = feedback(results(row("ada", "double", passed)), Learner("ada"))
    for said in ("warning (not scored), line 2: UserWarning: odd", "remark: it kept the graph", "printed | hello"):
        assert said in page


def test_nothing_of_another_learner_is_told() -> None:
    made = results(right("ada"), right("ben", origin="ben/of-ben.py"), problems=(Problem("ben", "ben/of-ben", "odd"),))
    assert "ben" not in feedback(made, Learner("ada"))


def test_hostile_text_does_nothing() -> None:
    failed = check("test_x", False, cause="exception", message=HOSTILE, got=HOSTILE, prints=HOSTILE, warnings=[HOSTILE])
    origin = f"{HOSTILE}/{HOSTILE}.py"
    made = results(row("ada", "double", failed, origin=origin), problems=(Problem("ada", origin, HOSTILE),))
    page = feedback(made, Learner("ada", HOSTILE))
    for sign in ("<", "javascript", "Title\n", "\x1b", "\x00", "\u202e", "\ud800"):
        assert sign not in outside(page)
    assert [line for line in page.split("\n") if line.startswith("#")] == [
        page.split("\n")[0],
        "## double: 0 of 1 checks pass",
        "## slope: no answer that could be graded",
        "## What could not be graded",
    ]
    page.encode()


@settings(deadline=None)
@given(st.text(alphabet="`~ \n<a>#[]()_*\\", max_size=40))
def test_no_text_closes_its_block_or_span(text: str) -> None:
    assert "a" not in outside(f"{span(text)}\n\n{block([text, text])}\n").replace("a learner without a name", "")
