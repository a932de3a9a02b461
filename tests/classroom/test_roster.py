"""Lists of a class, in the forms in which instructors have them.

The columns of Canvas's sheet are those that its exporter writes (GitHub instructure/canvas-lms,
lib/gradebook_exporter.rb), those of Moodle's worksheet the ones of its offline grading plugin (GitHub moodle/moodle,
mod/assign/gradingtable.php).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradclinic.classroom.results import Learner
from gradclinic.classroom.roster import read_roster
from gradclinic.course import CourseError

ADA, BEN = Learner("ada", "Ada A.", "ada@example.org"), Learner("ben", "Ben B.", "ben@example.org")


def read(tmp_path: Path, content: str | bytes) -> list[Learner]:
    file = tmp_path / "class.csv"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_roster(file)


@pytest.mark.parametrize(
    "content",
    [
        "id,name,email\nada,Ada A.,ada@example.org\nben,Ben B.,ben@example.org\n",
        "\ufeffID;Name;E-Mail\r\nada;Ada A.;ada@example.org\r\n\r\nben;Ben B.;ben@example.org\r\n;;\r\n",
        "Email address\tFull name\tStudent ID\nada@example.org\tAda A.\tada\nben@example.org\tBen B.\tben",
        '"username","first name","last name","mail"\n"ada","Ada","A.","ada@example.org"\n'
        '"ben","Ben","B.","ben@example.org"',
        "student,user_id,mail\nAda A.,ada,ada@example.org\nBen B.,ben,ben@example.org\n",
    ],
)
def test_usual_wordings_and_delimiters_are_understood(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == [ADA, BEN]


def test_one_id_per_line_needs_no_header(tmp_path: Path) -> None:
    assert read(tmp_path, "ada\n\n  ben  \n") == [Learner("ada"), Learner("ben")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_usual_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    assert read(tmp_path, "id,name\nzoe,Zoë\n".encode(encoding)) == [Learner("zoe", "Zoë")]


def test_a_moodle_worksheet_gives_the_participant_numbers(tmp_path: Path) -> None:
    content = (
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (grade)\n"
        "Participant 501,Ada A.,ada@example.org,Submitted,,10.00,Yes,-\n"
    )
    assert read(tmp_path, content) == [Learner("501", "Ada A.", "ada@example.org")]


def test_a_moodle_gradebook_without_id_numbers_gives_the_addresses(tmp_path: Path) -> None:
    content = (
        "First name,Last name,ID number,Email address,Assignment: One (Real)\nAda,A.,,ada@example.org,-\n"
        "Ben,B.,77,ben@example.org,3\n"
    )
    assert read(tmp_path, content) == [
        Learner("ada@example.org", "Ada A.", "ada@example.org"),
        Learner("77", "Ben B.", "ben@example.org"),
    ]


def test_a_canvas_gradebook_gives_its_ids_and_no_row_of_points(tmp_path: Path) -> None:
    content = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Gradients (9)\n,,,,,Manual Posting\n"
        '    Points Possible,,,,,10.00\n"A., Ada",311,u1,ada@example.org,One,\n'
    )
    assert read(tmp_path, content) == [Learner("311", "A., Ada", "")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("id,name\nada,A\nben,B\nada,C\n", '"ada" stands in lines 2 and 4. Remove one of them.'),
        ('id,name\nada,"A\nB"\n,C\n', ":4: this line has no id"),
        ("ada,Ada\nben,Ben\n", ":1: the first line should name the columns"),
        ("name\nAda\n", ":1: no column holds the learners' ids"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(CourseError) as caught:
        read(tmp_path, content)
    assert said in str(caught.value)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path) -> None:
    for file in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(CourseError, match=str(file)):
            read_roster(file)
