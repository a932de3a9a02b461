"""What the platforms' gradebooks have in common: numbers, titles, and learners who are told of and not guessed."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradclinic.classroom.gradebook import decimal, exercise_called, filled

from .small_class import check, results, row

TITLES = {"leaf_or_not": "Leaf or not?", "leaf": "Leaf", "slope": "The slope", "off_the_path": "Off the path"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10", "10"),
        ("10.00", "10"),
        ("10,50", "10.5"),
        ("1,000.5", "1000.5"),
        ("1.000,5", "1000.5"),
        (" 7 ", "7"),
        ("0", "0"),
        ("", None),
        ("-", None),
        ("(read only)", None),
        ("nan", None),
        ("inf", None),
        ("-3", None),
    ],
)
def test_numbers_are_read_as_spreadsheets_write_them(text: str, value: str | None) -> None:
    assert decimal(text) == (None if value is None else Decimal(value))


@pytest.mark.parametrize(
    ("title", "exercise"),
    [
        ("Leaf or not?", "leaf_or_not"),
        ("Exercise 3: LEAF OR NOT", "leaf_or_not"),
        ("leaf_or_not", "leaf_or_not"),
        ("A leaf", "leaf"),
        ("Leaflets", None),
        ("Week 2 - the slope (revised)", "slope"),
        ("The slope, off the path", "off_the_path"),  # the longer of the two
        ("Essay", None),
        ("", None),
    ],
)
def test_a_title_names_an_exercise_in_whole_words(title: str, exercise: str | None) -> None:
    assert exercise_called(title, TITLES) == exercise


@given(st.text(max_size=40))
def test_any_title_names_one_exercise_or_none(title: str) -> None:
    assert exercise_called(title, TITLES) in (*TITLES, None)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 30000).map(lambda n: n / 10000), st.sampled_from(["3", "10.00", "7,5", "0.01", "100", "9.999"]))
def test_no_grade_lies_outside_of_its_scale(tmp_path: Path, points: float, most: str) -> None:
    answer = row("7", "slope", check("test_the_slope", points >= 3, points=points, possible=3.0))
    file = tmp_path / "slope.csv"
    file.write_text(f"Identifier;Grade;Maximum Grade;Last modified (grade)\nParticipant 7;;{most};-\n")
    content, _ = filled(file, results(answer), {"slope": "The slope"})
    grade = Decimal(content.decode().split("\n")[1].split(";")[1].replace(",", "."))
    whole = Decimal(most.replace(",", "."))
    assert 0 <= grade <= whole
    assert abs(grade - Decimal(str(points)) / 3 * whole) <= Decimal("0.01")
