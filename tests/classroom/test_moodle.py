"""Moodle's sheets, filled in.

The worksheet: columns in GitHub moodle/moodle, mod/assign/gradingtable.php; which of them the import reads, and that it
passes over a grade above the maximum, in mod/assign/feedback/offline/importgradeslib.php and locallib.php. Gradebook:
titles "Assignment: NAME (Real)" in grade/export/lib.php (format_column_name), the last column in
grade/export/txt/grade_export_txt.php. That columns must not be added: docs.moodle.org/27/en/Grade_import.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradclinic.classroom.gradebook import filled
from gradclinic.classroom.results import Learner, Results
from gradclinic.course import CourseError

from .small_class import NEVER, results, right, row

TITLES = {"double": "Twice as much", "slope": "The slope"}
WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
)


def rows(*numbers: str) -> str:
    return "".join(
        f'"Participant {number}","Name, {number}",{number}@example.org,Submitted for grading,,10.00,Yes,'
        '"Monday, 1 March 2027, 9:00 AM",-,"<p>kept</p>"\n'
        for number in numbers
    )


def fill(tmp_path: Path, text: str, made: Results, name: str = "worksheet.csv") -> tuple[str, list[str]]:
    file = tmp_path / name
    file.write_bytes(text.encode())
    content, notes = filled(file, made, TITLES)
    assert file.read_bytes() == text.encode()  # the instructor's own file stays
    return content.decode(), notes


def test_only_the_grade_cells_of_known_learners_change(tmp_path: Path) -> None:
    made = results(right("501"), row("501", "slope", NEVER), right("502"), right("502", "slope"), right("777"))
    text = WORKSHEET + rows("501", "502", "503")
    content, notes = fill(tmp_path, text, made)
    lines, wanted = content.split("\n"), text.split("\n")
    wanted[1] = wanted[1].replace("grading,,10", "grading,4.00,10")
    wanted[2] = wanted[2].replace("grading,,10", "grading,10.00,10")
    assert lines == wanted
    assert notes == [
        '2 grades put into "Grade" (the total of 2 exercises, scaled to 10.00)',
        "joined by Identifier",
        "no learner found for 1 row: Participant 503 Name, 503",
        "no row found for 1 learner: 777",
    ]


def test_delimiter_mark_line_ends_and_decimal_comma_stay(tmp_path: Path) -> None:
    text = "\ufeff" + (WORKSHEET + rows("501")).replace("Name, 501", "Name 501").replace(",", ";").replace("\n", "\r\n")
    text = text.replace("10.00", "10,00").replace("Monday;", "Monday,")
    content, _ = fill(tmp_path, text, results(right("501")))
    assert content == text.replace("grading;;10,00", "grading;4,00;10,00")


def test_who_has_no_number_is_joined_by_the_address(tmp_path: Path) -> None:
    made = results(right("ada"), right("ben@example.org"), learners=(
        Learner("ada", email="501@Example.org"), Learner("ben@example.org"), Learner("502@example.org"),
    ))  # fmt: skip
    content, notes = fill(tmp_path, WORKSHEET + rows("501", "502"), made)
    assert "501@example.org,Submitted for grading,4.00," in content
    assert "502@example.org,Submitted for grading,," in content
    assert notes[:2] == [
        '1 grade put into "Grade" (the total of 2 exercises, scaled to 10.00); 1 cell left as nothing was handed in',
        "joined by Email address",
    ]


def test_an_address_of_two_learners_joins_neither(tmp_path: Path) -> None:
    learners = (Learner("ada", email="501@example.org"), Learner("501@example.org"))
    made = results(right("ada"), right("501@example.org"), learners=learners)
    content, notes = fill(tmp_path, WORKSHEET + rows("501"), made)
    assert content == WORKSHEET + rows("501")
    assert "no learner found for 1 row: Participant 501 Name, 501" in notes


def test_a_number_in_another_column_is_another_person(tmp_path: Path) -> None:
    header = "Identifier,ID number,Grade,Maximum Grade,Last modified (grade)\n"
    text = header + "Participant 501,7,,10.00,-\nParticipant 502,501,,10.00,-\nParticipant 900,8,,10.00,-\n"
    content, _ = fill(tmp_path, text, results(right("501"), right("900")))
    assert content == header + (
        "Participant 501,7,4.00,10.00,-\nParticipant 502,501,,10.00,-\nParticipant 900,8,4.00,10.00,-\n"
    )


def test_a_file_named_after_an_exercise_gets_that_one(tmp_path: Path) -> None:
    made = results(right("501"), row("501", "slope", NEVER))
    content, notes = fill(tmp_path, WORKSHEET + rows("501"), made, "Grades-ML1-Twice as much-4711.csv")
    assert "grading,10.00,10.00" in content
    assert notes[0] == '1 grade put into "Grade" (double, scaled to 10.00)'


def test_what_cannot_be_changed_stays_and_what_stood_there_is_told(tmp_path: Path) -> None:
    text = WORKSHEET + rows("501", "502").replace(
        "501@example.org,Submitted for grading,,10.00,Yes", "x,y,3.00,10.00,No"
    )
    text = text.replace("502@example.org,Submitted for grading,,", "502@example.org,Submitted for grading,3.00,")
    content, notes = fill(tmp_path, text, results(right("501"), right("502")))
    assert content == text.replace("grading,3.00,", "grading,4.00,")
    assert notes[0] == (
        '1 grade put into "Grade" (the total of 2 exercises, scaled to 10.00); 1 grade that stood there replaced; '
        "1 cell left that may not be changed"
    )


def test_a_scale_of_words_is_left_alone(tmp_path: Path) -> None:
    text = WORKSHEET.replace("Maximum Grade", "Scale") + rows("501").replace("10.00", "bad,good")
    content, notes = fill(tmp_path, text, results(right("501")))
    assert content == text
    assert notes == ["nothing was filled: the assignment is graded by a scale of words, not by points"]


@pytest.mark.parametrize(("most", "grade"), [("3", "1.20"), ("100.00", "40.00"), ("7", "2.80"), ("0.00", "0.00")])
def test_grades_are_scaled_to_the_maximum(tmp_path: Path, most: str, grade: str) -> None:
    content, _ = fill(tmp_path, WORKSHEET + rows("501").replace("10.00", most), results(right("501")))
    assert f"grading,{grade},{most}," in content


def test_no_grade_lies_above_the_maximum(tmp_path: Path) -> None:
    made = results(right("501"), right("501", "slope"))
    content, _ = fill(tmp_path, WORKSHEET + rows("501").replace("10.00", "9.999"), made)
    assert "grading,9.99,9.999," in content  # rounded up, 10.00 would be passed over by the import


GRADEBOOK = (
    "First name,Last name,ID number,Email address,Assignment: The slope (Real),Assignment: The slope (Feedback),"
    "Assignment: Twice as much (Real),Course total (Real),Last downloaded from this course\n"
)


def test_a_gradebook_gets_points_by_the_names_of_its_activities(tmp_path: Path) -> None:
    text = (
        GRADEBOOK
        + "Ada,A.,u1,ada@example.org,-,fine,1.00,1.00,1800000000\nBen,B.,u2,ben@example.org,-,,-,-,1800000000\n"
    )
    content, notes = fill(tmp_path, text, results(right("u1"), right("u1", "slope"), right("u2")))
    assert content == GRADEBOOK + (
        "Ada,A.,u1,ada@example.org,3.00,fine,2.00,1.00,1800000000\nBen,B.,u2,ben@example.org,-,,2.00,-,1800000000\n"
    )
    assert notes == [
        '1 grade put into "Assignment: The slope (Real)" (slope, points of 3); 1 cell left as nothing was handed in',
        '2 grades put into "Assignment: Twice as much (Real)" (double, points of 2); 1 grade that stood there replaced',
        "joined by ID number",
    ]


def test_one_activity_gets_the_total_and_several_strange_ones_nothing(tmp_path: Path) -> None:
    header = "Email address,Assignment: Homework 3 (Real),Course total (Real)\n"
    made = results(right("ada@example.org"))
    content, _ = fill(tmp_path, header + "ada@example.org,-,-\n", made)
    assert content == header + "ada@example.org,2.00,-\n"
    header = "Email address,Assignment: Homework 3 (Real),Quiz: Homework 4 (Real)\n"
    content, notes = fill(tmp_path, header + "ada@example.org,-,-\n", made)
    assert content == header + "ada@example.org,-,-\n"
    assert notes[0] == (
        "nothing was filled: no column of grades is called like an exercise or Gradient Clinic, and there are 2"
    )


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "Kennung,Bewertung\n1,2\n", "id,name\nada,Ada\n"])
def test_another_sheet_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(CourseError, match="neither that of Moodle"):
        fill(tmp_path, text, results())
