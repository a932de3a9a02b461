"""What a course is, and how an exercise is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradclinic.course import Course, CourseError, find_course, read_header

HEADER = """\
# ---
# jupyter:
#   gradclinic:
#     title: Off the path
#     id: off_the_path
#     question: Why?
#     minutes: {teach: 15, exercise: 20}
#     core: false
#     hints: [one, two, three]
#     symptoms:
#       - {text: "not used", kind: error, cell: run}
#     predict:
#       ask: What?
#       choices:
#         - {text: yes it does, when: "1", because: so}
#     notes:
#       run: ["Ask: who?"]
# ---
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    (tmp_path / "checks" / "answers").mkdir(parents=True)
    (tmp_path / "lessons" / "05_off_the_path").mkdir(parents=True)
    (tmp_path / "lessons" / "05_off_the_path" / "lesson.py").write_text(HEADER)
    for slug in ("12_path_again", "05_off_the_path", "01_leaf"):
        (tmp_path / "checks" / f"test_{slug}.py").touch()
    for other in ("conftest.py", "test_helper.py", "test_3_short.py"):
        (tmp_path / "checks" / other).touch()
    return Course(tmp_path)


def test_lessons_come_in_the_order_of_their_numbers(course: Course) -> None:
    assert [(lesson.number, lesson.id) for lesson in course.lessons] == [
        (1, "leaf"),
        (5, "off_the_path"),
        (12, "path_again"),
    ]


@pytest.mark.parametrize(
    "name", ["5", "05", "05_off_the_path", "off_the_path", "off-the-path", "OFF_THE", "the", " 5 "]
)
def test_an_exercise_is_found_by_number_name_or_part(course: Course, name: str) -> None:
    assert course.find(name).slug == "05_off_the_path"


def test_an_unclear_part_lists_what_it_fits(course: Course) -> None:
    with pytest.raises(CourseError, match=r'"path" fits off_the_path, path_again\. Say which\.'):
        course.find("path")


@pytest.mark.parametrize("name", ["", "7", "zebra"])
def test_an_unknown_name_points_to_the_list(course: Course, name: str) -> None:
    with pytest.raises(CourseError, match="gradclinic list"):
        course.find(name)


def test_the_header_is_read(course: Course) -> None:
    lesson = course.find("5")
    assert (lesson.title, lesson.question, lesson.minutes, lesson.core) == ("Off the path", "Why?", (15, 20), False)
    assert lesson.hints == ("one", "two", "three")
    assert (lesson.symptoms[0].text, lesson.symptoms[0].kind, lesson.symptoms[0].cell) == ("not used", "error", "run")
    assert (lesson.ask, lesson.choices[0].when, lesson.choices[0].because) == ("What?", "1", "so")
    assert lesson.notes == {"run": ("Ask: who?",)}


def test_a_lesson_without_a_story_has_a_title_and_no_hints(course: Course) -> None:
    lesson = course.find("path_again")
    assert (lesson.title, lesson.hints, lesson.minutes, lesson.core) == ("Path again", (), (0, 0), True)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("import torch\n", ":1: a lesson starts with a header"),
        ("# ---\n# jupyter:\n", ":1: the header has no closing"),
        ("# ---\n# title: x\n# ---\n", ":2: the header needs `jupyter:`"),
        ("# ---\n# jupyter:\n#   gradclinic: [1]\n# ---\n", ":2: `gradclinic:` in the header should hold a mapping"),
        ("# ---\n# jupyter:\n#   gradclinic:\n#     title: [\n# ---\n", ":5: the header is not YAML"),
    ],
)
def test_a_broken_header_is_named_with_its_line(tmp_path: Path, text: str, where: str) -> None:
    file = tmp_path / "lesson.py"
    file.write_text(text)
    with pytest.raises(CourseError) as caught:
        read_header(file)
    assert str(caught.value).startswith(f"{file}{where}")


def test_the_course_is_found_from_below(course: Course) -> None:
    assert find_course(course.root / "lessons" / "05_off_the_path").root == course.root.resolve()


def test_no_course_here_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="gradclinic init"):
        find_course(tmp_path)


def test_a_given_folder_must_be_a_course(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"holds lessons/ and checks/"):
        find_course(given=tmp_path)
