"""The table of the class, read back as a spreadsheet would.

Lines and quotes: RFC 4180 ("Common Format and MIME Type for CSV Files", 2.1, 2.6, 2.7). Formulas: OWASP Application
Security Verification Standard 5, 1.2.10 (as stored at asvs.emil.hemdal.se/1.2.10): a cell that begins with = + - @, tab
or a null character gets a single quote in front.
"""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradclinic.classroom.plain import csv_cell, number
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.summary import summary

from .small_class import NEVER, results, right, row


def table(made: Results) -> list[list[str]]:
    return list(csv.reader(io.StringIO(summary(made).decode("utf-8-sig"), newline="")))


def test_a_row_per_learner_with_points_and_counts() -> None:
    made = results(
        right("ada"),
        right("ada", "slope", late=True),
        row("ben", "slope", NEVER),
        right("ada", attempt=2, points=0.0, counts=False),
        learners=(Learner("ada", "Ada A."), Learner("ben"), Learner("cem", "Cem C.")),
    )
    assert summary(made) == (
        b"id,name,points,most,passed,late,missing,double,slope\r\n"
        b"ada,Ada A.,5,5,2,1,0,2,3\r\n"
        b"ben,,0,5,0,0,1,,0\r\n"
        b"cem,Cem C.,0,5,0,0,2,,\r\n"
    )


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t=", "\r=", "\n+", "\x00@", " =", "\uff1d", "'"])
def test_a_cell_that_begins_like_a_formula_gets_an_apostrophe(begin: str) -> None:
    text = f"{begin}SUM(1;2)"
    cell = table(results(right("ada"), learners=(Learner("ada", text),)))[1][1]
    assert cell.startswith("'")
    assert cell[1:].strip() == text.strip("\t\r\n\x00 ")


def test_an_id_joins_again_when_one_apostrophe_is_taken_off() -> None:
    ids = ["-ada", "'-ada", "''ada", "ada'", "@ben"]
    cells = [line[0] for line in table(results(learners=tuple(map(Learner, ids))))[1:]]
    assert [cell.removeprefix("'") for cell in cells] == ids


@given(st.text(alphabet=st.characters()))
def test_any_text_stays_one_harmless_cell(text: str) -> None:
    made = results(right("ada"), learners=(Learner("ada", text), Learner("ben")))
    lines = table(made)
    assert [line[0] for line in lines] == ["id", "ada", "ben"]
    assert lines[1][1] == "" or lines[1][1].lstrip()[:1] not in set("=+-@\uff1d\uff0b\uff0d\uff20\t\r")
    assert all(character.isprintable() for line in lines for cell in line for character in cell)


@given(st.text(alphabet="='+-@ab ", max_size=5), st.text(alphabet="='+-@ab ", max_size=5))
def test_two_texts_never_become_the_same_cell(one: str, other: str) -> None:
    assert (csv_cell(one) == csv_cell(other)) == (one == other)


def test_other_letters_than_ascii_come_with_the_mark_that_excel_needs() -> None:
    assert summary(results(learners=(Learner("zoe", "Zoë"),))).startswith(b"\xef\xbb\xbfid,name")
    assert summary(results(learners=(Learner("zoe", "Zoe"),))).startswith(b"id,name")


def test_points_have_as_few_digits_as_they_need() -> None:
    assert [number(value) for value in (2.0, 2.5, 0.1 + 0.2, 1 / 3, 0.0, 10.0, 999999.5)] == [
        "2",
        "2.5",
        "0.3",
        "0.3333",
        "0",
        "10",
        "999999.5",
    ]
