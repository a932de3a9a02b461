"""The instructor's page as text: what it says of a class, and that learners' words stay words on it."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradclinic.classroom.misconceptions import causes_of, ranked
from gradclinic.classroom.report import page, write_report
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.shown import shown
from gradclinic.classroom.submission import Problem
from gradclinic.course import Course

from .made import Fault, a_class, an_answer

SHADOWED = Fault("nn", "w.grad is None", 18, "    w = w * 0.1  # by ada", cause="shadowed_leaf")
SHADOWED_TOO = Fault("nyyy", "w.grad is None", 23, "w = w * 0.1", cause="shadowed_leaf")
NO_GRAPH = Fault("nn", "raised RuntimeError", 17, "x = (w * 2", cause="loss_has_no_graph", root="detached")
SYNTAX = Fault("nnn", "invalid syntax", 3, "def f(:", cause="syntax_error")


def of(*rows: object, learners: tuple[str, ...] = ("ada", "ben", "cleo"), **more: object) -> Results:
    """The results of a class of three and two exercises."""
    told = {
        "exercises": ("backward_first", "leaf_or_not", "in_place_add"),
        "possible": {"backward_first": 3.0, "leaf_or_not": 2.0, "in_place_add": 4.0},
        "learners": tuple(map(Learner, learners)),
        "rows": rows,
    }
    return Results(**told | more)  # type: ignore[arg-type]


class Outline(HTMLParser):
    """The elements of a page with the names of their attributes, and its texts; where a word may break is left out."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "wbr":
            self.elements.append((tag, tuple(name for name, _ in attrs)))
            self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))


def test_misconceptions_are_ranked_by_the_learners_who_hold_them() -> None:
    results = of(
        an_answer("ada", "leaf_or_not", SHADOWED),
        an_answer("ada", "in_place_add", SHADOWED_TOO),
        an_answer("ben", "backward_first", SYNTAX),
        an_answer("ben", "leaf_or_not", NO_GRAPH),
        an_answer("cleo", "in_place_add", SHADOWED_TOO),
    )
    told = [(one.cause, one.learners, one.exercises) for one in ranked(results)]
    assert told == [
        ("shadowed_leaf", ("ada", "cleo"), {"leaf_or_not": 1, "in_place_add": 2}),
        ("detached", ("ben",), {"leaf_or_not": 1}),
        ("syntax_error", ("ben",), {"backward_first": 1}),
    ]
    assert [one.teachable for one in ranked(results)] == [True, True, False]


def test_a_misconception_of_two_comes_before_one_of_many_answers() -> None:
    results = of(
        *(an_answer("ada", exercise, SHADOWED_TOO) for exercise in ("backward_first", "leaf_or_not", "in_place_add")),
        an_answer("ben", "leaf_or_not", NO_GRAPH),
        an_answer("cleo", "leaf_or_not", NO_GRAPH),
    )
    assert [(one.cause, len(one.learners)) for one in ranked(results)] == [("detached", 2), ("shadowed_leaf", 1)]
    card, other = re.findall(r'<li class="card" id="(c\d)"><div><h3>([^<]*)</h3>', page(results))
    assert card == ("c0", "detach(), detach_() or .data cut it")
    assert other == ("c1", "The name now holds the result of an operation; the leaf is behind it")


def test_the_example_is_the_line_most_wrote_without_its_comment() -> None:
    other = SHADOWED._replace(source="w = w.view(-1)  # mine")
    results = of(
        an_answer("ada", "leaf_or_not", SHADOWED),
        an_answer("ben", "leaf_or_not", other),
        an_answer("cleo", "leaf_or_not", SHADOWED._replace(source="w = w * 0.1 # by cleo")),
    )
    (one,) = ranked(results)
    assert (one.example, one.alike) == ("w = w * 0.1", 2)


@pytest.mark.parametrize(
    ("source", "example"),
    [
        ('x = "# no comment"  # one', 'x = "# no comment"'),
        ("x = torch.stack([  # half a statement", "x = torch.stack(["),
        ("x = 'never closed", "x = 'never closed"),
        ("def descend(w0, x):", ""),
        ("\t  y = 1", "y = 1"),
    ],
)
def test_a_line_is_taken_as_it_stands(source: str, example: str) -> None:
    (one,) = ranked(of(an_answer("ada", "leaf_or_not", SHADOWED._replace(source=source))))
    assert one.example == example


def test_every_failed_check_counts_and_the_root_counts_for_its_symptom() -> None:
    row = an_answer("ada", "leaf_or_not", NO_GRAPH)
    first, second = row.checks
    mixed = replace(row, checks=[first, second | {"cause": "accumulated", "root": None}])
    assert causes_of(mixed) == ("detached", "accumulated")
    assert causes_of(replace(row, checks=[])) == ("detached",)
    assert causes_of(an_answer("ada", "leaf_or_not")) == ()


def test_only_the_attempt_that_counts_is_counted() -> None:
    early = an_answer("ada", "leaf_or_not", SHADOWED, counts=False)
    results = of(early, an_answer("ada", "leaf_or_not", attempt=2))
    assert ranked(results) == []
    text = Outline(page(results)).text
    assert "attempt 2 of 2" in text
    assert "Does not count: attempt 1: 0 of 2, shadowed_leaf" in text


def test_the_page_tells_what_is_right_wrong_missing_and_late() -> None:
    results = of(
        an_answer("ada", "leaf_or_not", SHADOWED, late=True),
        an_answer("ada", "in_place_add"),
        an_answer("ben", "in_place_add", SHADOWED_TOO),
        learners=("ada", "ben", "cleo"),
        problems=(Problem("cleo", "cleo.zip/a.docx", "not a Python file"),),
    )
    text = Outline(page(results)).text
    assert "learners3 1 without any answer" in text
    assert "answers3 of 9 expected" in text
    assert "right33 % 1 of 3 answers" in text
    assert "late1 answers" in text
    assert "in_place_add1 right, 1 wrong, 1 missing" in text
    assert "ada4– missing✗ 0/2 shadowed_leaf late✓ 4" in text
    assert "4 of 91 right, 1 wrong, 1 missing, 1 late" in text
    assert "2 of 3 learners shadowed_leaf" in text
    assert "all 2 wrote this very line" in text
    assert "cleo.zip/a.docx: not a Python file" in text


def test_a_passed_answer_names_its_checks_and_a_failed_one_its_reason_once() -> None:
    text = Outline(page(of(an_answer("ada", "in_place_add"), an_answer("ben", "leaf_or_not", NO_GRAPH)))).text
    assert "Passed: fit descends, the pull on the weights, the pull on the level, level and percent" in text
    assert text.count("raised RuntimeError") == 1
    assert "Cause: loss_has_no_graph" in text
    assert "Behind it: detached detach(), detach_() or .data cut it" in text


def test_the_marked_part_of_a_line_is_the_one_that_is_meant() -> None:
    row = an_answer("ada", "leaf_or_not", SHADOWED._replace(source="    loss.backward()  # <b>"))
    where = row.checks[0]["location"] | {"column": 5, "end_column": 20}
    html = page(of(replace(row, checks=[row.checks[0] | {"location": where}, row.checks[1]])))
    assert '<span class="line">18</span><code><mark>loss.backward()</mark>  # &lt;b&gt;</code>' in html


def test_the_lesson_to_teach_again_comes_with_its_minutes_hint_and_notes(tmp_path: Path) -> None:
    folder = tmp_path / "lessons" / "03_leaf_or_not"
    folder.mkdir(parents=True)
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "test_03_leaf_or_not.py").touch()
    (folder / "lesson.py").write_text(
        "# ---\n# jupyter:\n#   gradclinic:\n#     title: Leaf <or> not\n#     minutes: {teach: 12, exercise: 9}\n"
        "#     hints: [Print `w.is_leaf`.]\n#     notes:\n#       run: ['Ask: who is the leaf?']\n# ---\n"
    )
    html = page(of(an_answer("ada", "leaf_or_not", SHADOWED)), Course(tmp_path))
    text = Outline(html).text
    assert "Lesson 3: Leaf <or> not, 12 minutes to teach, 9 for the exercise" in text
    assert "<b>First hint:</b> Print <code>w.is_leaf</code>." in html
    assert "Your notes for itRun. Ask: who is the leaf?" in text


def test_what_was_graded_below_strict_is_said_plainly() -> None:
    rows = [an_answer("ada", "leaf_or_not", isolation="limits"), an_answer("ben", "leaf_or_not", isolation="strict")]
    assert "Not fully confined: 1 answer at level limits" in Outline(page(of(*rows))).text
    assert "Not fully confined" not in page(of(rows[1]))


def test_the_time_is_that_of_the_results_and_never_of_the_clock(tmp_path: Path) -> None:
    results = a_class(12)
    write_report(results, tmp_path)
    first = (tmp_path / "report.html").read_bytes()
    write_report(a_class(12), tmp_path)
    assert (tmp_path / "report.html").read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert "graded 2026-03-02 14:05" in first.decode()
    assert "graded " not in Outline(page(replace(results, facts={}))).text.partition("Re-teach")[0]


def test_the_policy_allows_the_style_and_the_script_of_the_page_alone() -> None:
    html = page(a_class(12))
    hashes = {}
    for tag in ("style", "script"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        hashes[tag] = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes['style']}'; script-src 'sha256-{hashes['script']}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_nothing_on_the_page_leads_away_from_it() -> None:
    outline = Outline(page(a_class(12)))
    names = {name for name, _ in outline.attributes}
    assert not {name for name in names if name.startswith("on")} | (names & {"style", "src", "srcset", "action"})
    links = [value for name, value in outline.attributes if name == "href"]
    ids = [value for name, value in outline.attributes if name == "id"]
    assert {link[0] for link in links} == {"#"}
    assert {link[1:] for link in links} <= set(ids)
    assert len(ids) == len(set(ids))


def test_text_is_escaped_made_visible_and_cut() -> None:
    assert shown("<b a=\"1\" c='2'>&") == "&lt;b a=&quot;1&quot; c=&#x27;2&#x27;&gt;&amp;"
    assert shown("a\u202eb\u200fc") == "a‹U+202E›b‹U+200F›c"
    assert shown("\x1b[31m\x00\x7f\x9b") == "␛[31m␀‹U+007F›‹U+009B›"
    assert shown("one\ntwo\r\u2028") == "one\ntwo␍‹U+2028›"
    assert shown("\ud800") == "‹U+D800›"
    assert shown("1\xa0000") == "1 000"
    assert shown("x" * 700) == "x" * 600 + " [… 100 more characters]"


@given(st.text(st.characters()), st.integers(1, 40))
def test_no_text_acts_on_the_page(text: str, most: int) -> None:
    html = shown(text, most)
    outline = Outline(f'<p title="{html}">{html}</p>')
    assert outline.elements == [("p", ("title",))]
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or c in "\n\t\u200c\u200d" for c in html)
    html.encode()


def hostile(text: str) -> Results:
    """A class in which every text that a learner can touch is this one."""
    row = an_answer(f"a{text}", "leaf_or_not", SHADOWED, origin=text, submitted=f"s{text}", isolation=f"i{text}")
    words = {"message": f"m{text}", "got": f"g{text}", "expected": f"e{text}", "name": f"test_{text}"}
    words |= {"warnings": [text], "remarks": [text], "prints": "p" + text.replace("\n", "")}  # type: ignore[dict-item]
    words |= {"location": {"file": text, "line": 3, "source": f"x = 1;{text}", "column": 1, "end_column": 6}}  # type: ignore[dict-item]
    checks = [check | words | {"cause": f"c{text}", "root": "detached"} for check in row.checks]
    learner = Learner(f"a{text}", name=f"n{text}", email=f"m{text}", on_roster=False)
    facts = {"course": text, "graded": f"g{text}", "isolation": f"i{text}"}
    problem = Problem(f"p{text}", text, text, f"e{text}")
    rows = (replace(row, checks=checks),)
    return replace(of(*rows, facts=facts), learners=(learner, Learner(f"b{text}")), problems=(problem,))


HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "</style><img src=x onerror='window.hacked = 1'>",
    '" onfocus=window.hacked=1 autofocus tabindex=0 x="',
    "' onmouseover='window.hacked=1",
    "]]><!-- <![CDATA[ --><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    "&lt;script&gt;&#60;script&#62;",
    "\u202egnp.exe\u2066\u200b\x1b[2J\x07",
    '=HYPERLINK("https://example.org")',
    "<plaintext><textarea><title><template><details open ontoggle=window.hacked=1>",
    "y" * 100_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_leaves_the_page_as_it_is(text: str) -> None:
    assert Outline(page(hostile(text))).elements == Outline(page(hostile("harmless"))).elements


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(), min_size=1))
def test_any_text_leaves_the_page_as_it_is(text: str) -> None:
    assert Outline(page(hostile(text))).elements == Outline(page(hostile("harmless"))).elements


def test_long_texts_do_not_make_a_long_page() -> None:
    assert len(page(hostile("y" * 100_000))) < 80_000


def test_five_hundred_learners_fit_in_four_megabytes() -> None:
    assert len(page(a_class(500)).encode()) < 4_000_000


def test_a_class_without_anybody_has_a_page() -> None:
    nobody = Results((), {}, (), ())
    assert "No failed check of this class points at a misconception." in Outline(page(nobody)).text
    assert "answers0 of 9 expected" in Outline(page(of())).text


def test_the_report_needs_no_torch() -> None:
    code = "import sys, gradclinic.classroom.report; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
