"""Which files are graded, for which exercise, and under which label."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradclinic.course import Course, CourseError
from gradclinic.grading.answers import find_answers


def labels(course: Course, where: Path | None = None) -> list[tuple[str, str]]:
    return [(answer.lesson.id, answer.label) for answer in find_answers(course, where)]


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        file = folder / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def test_without_a_path_the_learners_own_files(course: Course) -> None:
    assert labels(course) == [("double", "01_double"), ("slope", "02_slope"), ("step", "03_step")]
    assert [answer.own for answer in find_answers(course)] == [True] * 3
    assert [answer.label for answer in find_answers(course, None, course.lessons[1:2])] == ["02_slope"]


def test_below_a_folder_every_layout_is_found_in_the_order_of_the_lessons(course: Course, tmp_path: Path) -> None:
    hers = write(
        tmp_path / "hers",
        **{"02_slope": "", "01_double__exercise": "", "01_double__wrong_b": "", "01_double__right_a": ""},
        **{"01_double__notes": "", "04_unknown": "", "03_step__deeper__exercise": ""},
    )
    assert labels(course, hers) == [
        ("double", "01_double"),
        ("double", "01_double[wrong_b]"),
        ("double", "01_double[right_a]"),
        ("slope", "02_slope"),
    ]
    assert labels(course, hers / "01_double") == labels(course, hers)[:3]
    assert [answer.own for answer in find_answers(course, hers)] == [False] * 4


@pytest.mark.parametrize(
    ("name", "text", "label"),
    [
        ("anything", "# exercise: slope\n", "02_slope[anything]"),
        ("anything", "# expects: unused\r\n#exercise:slope\r\n", "02_slope[anything]"),
        ("anything", "\ufeff# exercise: slope\n", "02_slope[anything]"),
        ("01_double", "# exercise: slope\n", "02_slope[01_double]"),  # the first line says more than the name
        ("02_slope", "x = 1\n", "02_slope"),
        ("slope", "x = 1\n", "02_slope"),
        ("02_slope__exercise", "x = 1\n", "02_slope"),
        ("02_slope__wrong_x", "x = 1\n", "02_slope[wrong_x]"),
        ("02_slope", "# exercise: no_such_thing\n", "02_slope"),
    ],
)
def test_the_exercise_of_a_single_file(course: Course, tmp_path: Path, name: str, text: str, label: str) -> None:
    write(tmp_path, **{name: text})
    assert labels(course, tmp_path / f"{name.replace('__', '/')}.py") == [("slope", label)]


def test_what_cannot_be_graded_is_told(course: Course, tmp_path: Path) -> None:
    write(tmp_path, mystery="x = 1\n")
    with pytest.raises(CourseError, match="which exercise is this"):
        find_answers(course, tmp_path / "mystery.py")
    with pytest.raises(CourseError, match="There is no file or folder"):
        find_answers(course, tmp_path / "nowhere")
    with pytest.raises(CourseError, match="holds no answer"):
        find_answers(course, tmp_path)
