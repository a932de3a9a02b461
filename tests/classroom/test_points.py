"""What `--points` means, on the fixture course of three exercises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradclinic.classroom.points import Points, check_names
from gradclinic.course import Course, CourseError

COURSE = Course(Path(__file__).parents[1] / "course")


def parse(*words: str) -> Points:
    return Points.parse(words, COURSE)


def test_without_a_word_each_check_is_worth_one_point() -> None:
    assert parse().of("double", "test_anything") == 1.0


def test_the_closer_word_holds_whatever_the_order() -> None:
    first, *others = check_names(COURSE.find("slope"))
    points = parse(f"slope.{first}=2.5", "slope=3", "5")
    assert points.of("slope", first) == 2.5
    assert [points.of("slope", other) for other in others] == [3.0] * len(others)
    assert points.of("double", "test_x") == 5.0
    assert points.possible(COURSE.find("slope")) == 2.5 + 3 * len(others)


def test_a_check_may_be_named_without_test() -> None:
    first = check_names(COURSE.find("step"))[0]
    assert parse(f"03.{first.removeprefix('test_')}=7").of("step", first) == 7.0


def test_zero_is_a_number_of_points() -> None:
    assert parse("double=0").of("double", "test_x") == 0.0


def test_the_text_is_the_same_for_the_same_points() -> None:
    assert parse("slope=2", "double=0.50").text == parse("01_double=0.5", "02=2.0").text
    assert parse("slope=2", "double=0.50").text == "1 double=0.5 slope=2"
    assert parse("slope=2").text != parse("slope=3").text


def test_the_text_can_be_parsed_again() -> None:
    points = parse("999999.1234", "slope=0.0001", "double.a_row=7")
    assert parse(*points.text.split()) == points


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("many", '"many" is no number'),
        ("", "is no number"),
        ("slope=", "is no number"),
        ("slope=-1", '"-1" is no number'),
        ("nan", '"nan" is no number'),
        ("inf", '"inf" is no number'),
        ("1e9", "is no number"),
        ("1000000", "is no number"),
        ("٣", "is no number"),
        ("slope=2,5", '"2,5" is no number'),
        ("nothing=2", 'No exercise is called "nothing"'),
        ("slope.nothing=2", 'slope has no check "nothing". It has test_'),
        ("=2", 'No exercise is called ""'),
    ],
)
def test_nonsense_is_refused_with_a_sentence(word: str, said: str) -> None:
    with pytest.raises(CourseError) as caught:
        parse(word)
    assert said in str(caught.value)


@pytest.mark.parametrize("words", [("1", "2"), ("slope=1", "02=1")])
def test_the_same_thing_said_twice_is_refused(words: tuple[str, str]) -> None:
    with pytest.raises(CourseError, match="were given before"):
        parse(*words)


def test_reading_the_checks_runs_nothing_and_imports_no_torch() -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom gradclinic.course import Course\n"
        "from gradclinic.classroom.points import Points\n"
        f"Points.parse(['slope=2'], Course(Path({str(COURSE.root)!r}))).possible\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0


def test_the_names_are_those_that_the_grader_finds() -> None:
    from gradclinic.grading.runner import load_checks

    for lesson in COURSE.lessons:
        assert list(check_names(lesson)) == [check.name for check in load_checks(lesson.check_file)]
