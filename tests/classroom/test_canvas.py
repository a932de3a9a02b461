"""Canvas's gradebook, filled in.

Columns, the row "    Points Possible", the row of "Manual Posting", "(read only)", "EX" and "N/A": GitHub
instructure/canvas-lms, lib/gradebook_exporter.rb. How the import knows a header, finds a learner by ID, SIS User ID and
SIS Login ID, and makes an assignment of every title that it does not know (so no column is added here):
lib/gradebook_importer.rb. Changes to read-only columns are passed over: "Gradebook Action Menu",
ts.vcu.edu/askit/teaching-and-learning/canvas/faculty/grading-faculty/gradebook-action-menu-faculty.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradclinic.classroom.gradebook import filled
from gradclinic.classroom.results import Learner, Results

from .small_class import NEVER, results, right, row

TITLES = {"double": "Twice as much", "slope": "The slope"}
HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Notes,"
SHEET = (
    HEAD + "Twice as much (11),Essay (12),Week 2: The Slope (13),Homework Current Score,Final Score\n"
    ",,,,,,,,Manual Posting,,\n"
    "    Points Possible,,,,,,10.00,5.00,6.00,(read only),(read only)\n"
    '"A., Ada",311,u1,ada@example.org,One,=1+1,,4.00,1.00,50.00,40.00\n'
    '"B., Ben",312,u2,ben@example.org,"One and Two",,EX,,N/A,,\n'
    '"C., Cem",313,u3,cem@example.org,One,,,,,,\n'
    '"Student, Test",399,,f00f,One,,,,,,\n'
)


def fill(tmp_path: Path, text: str, made: Results) -> tuple[str, list[str]]:
    file = tmp_path / "grades.csv"
    file.write_bytes(text.encode())
    content, notes = filled(file, made, TITLES)
    return content.decode(), notes


def test_only_cells_of_the_exercises_change(tmp_path: Path) -> None:
    made = results(
        right("311"), right("311", "slope"), right("312"), right("312", "slope"), row("313", "slope", NEVER),
        learners=(Learner("311"), Learner("312"), Learner("313"), Learner("404")),
    )  # fmt: skip
    content, notes = fill(tmp_path, SHEET, made)
    wanted = SHEET.replace("=1+1,,4.00,1.00,50.00", "=1+1,10.00,4.00,6.00,50.00")
    assert content == wanted.replace("cem@example.org,One,,,,,,", "cem@example.org,One,,,,0.00,,")
    assert notes == [
        '1 grade put into "Twice as much (11)" (double, scaled to 10.00); 1 cell left as nothing was handed in; '
        "1 cell left that may not be changed",
        '2 grades put into "Week 2: The Slope (13)" (slope, scaled to 6.00); 1 grade that stood there replaced; '
        "1 cell left that may not be changed",
        "joined by ID",
        "no learner found for 1 row: Student, Test 399",
        "no row found for 1 learner: 404",
    ]


@pytest.mark.parametrize(
    ("learner", "column"),
    [("311", "ID"), ("u1", "SIS User ID"), ("U1", "SIS User ID"), ("ada@example.org", "SIS Login ID")],
)
def test_learners_are_found_by_each_id_of_canvas(tmp_path: Path, learner: str, column: str) -> None:
    content, notes = fill(tmp_path, SHEET, results(right(learner)))
    assert "=1+1,10.00,4.00," in content
    assert f"joined by {column}" in notes


def test_a_learner_with_an_address_is_found_by_a_login_that_is_one(tmp_path: Path) -> None:
    made = results(right("ada"), learners=(Learner("ada", email="ada@example.org"),))
    assert "=1+1,10.00,4.00," in fill(tmp_path, SHEET, made)[0]


def test_one_assignment_gets_the_total(tmp_path: Path) -> None:
    text = HEAD + "Homework (9)\n    Points Possible,,,,,,20\nAda,311,u1,a,One,,\n"
    content, notes = fill(tmp_path, text, results(right("311")))
    assert content == HEAD + "Homework (9)\n    Points Possible,,,,,,20\nAda,311,u1,a,One,,8.00\n"
    assert notes[0] == '1 grade put into "Homework (9)" (the total of 2 exercises, scaled to 20)'


def test_of_several_the_one_called_gradient_clinic_gets_the_total(tmp_path: Path) -> None:
    text = HEAD + "Essay (8),The Gradient Clinic (9)\n    Points Possible,,,,,,5,5\nAda,311,u1,a,One,,,\n"
    assert fill(tmp_path, text, results(right("311")))[0].endswith("Ada,311,u1,a,One,,,2.00\n")


def test_two_columns_of_one_exercise_are_both_left(tmp_path: Path) -> None:
    text = HEAD + "The slope (8),The slope again (9)\n    Points Possible,,,,,,5,5\nAda,311,u1,a,One,,,\n"
    content, notes = fill(tmp_path, text, results(right("311", "slope")))
    assert content == text
    assert notes[0] == "several columns are called like slope, so none of them was filled"


def test_names_in_two_columns_and_semicolons_are_canvas_too(tmp_path: Path) -> None:
    head = "\ufeffLastName;FirstName;ID;SIS Login ID;Section;The slope (9)\n    Points Possible;;;;;6,00\n"
    text = head + "A.;Ada;311;a;One;\n"
    content, _ = fill(tmp_path, text, results(right("311", "slope")))
    assert content == text.replace("One;\n", "One;6,00\n")


def test_a_row_twice_is_filled_in_neither_place(tmp_path: Path) -> None:
    text = HEAD + "The slope (9)\n    Points Possible,,,,,,6\nAda,311,u1,a,One,,\nAda,311,u1,a,Two,,\n"
    content, notes = fill(tmp_path, text, results(right("311", "slope")))
    assert content == text
    assert "fits several rows, so none of them is filled: 311" in notes


def test_a_title_with_formula_and_terminal_codes_is_told_on_one_line(tmp_path: Path) -> None:
    text = HEAD + 'The slope (9)\n    Points Possible,,,,,,6\n"=1\x1b[31m\n2",311,u1,a,One,,\n'
    content, notes = fill(tmp_path, text, results(right("ada", "slope")))
    assert content == text
    assert "no learner found for 1 row: =1[31m 2 311" in notes
