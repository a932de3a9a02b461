"""Which exercise a file answers: its first lines, then names from the file outwards, then its functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradclinic.classroom.identify import exercises_of
from gradclinic.course import Course

REPOSITORY = Path(__file__).parents[2]
whole = exercises_of(Course(REPOSITORY))
small = exercises_of(Course(REPOSITORY / "tests" / "course"))


def test_a_course_is_read_once() -> None:
    assert exercises_of(Course(REPOSITORY)) is whole


def test_the_functions_of_the_course() -> None:
    assert {name: set(functions) for name, functions in whole.functions.items()} == {
        "backward_first": {"first_step"},
        "requires_grad_false": {"adversarial_image", "fine_tune"},
        "leaf_or_not": {"descend"},
        "late_retain_grad": {"grad_cam"},
        "off_the_path": {"train_step"},
        "in_place_add": {"fit", "pull"},
        "autograd_grad": {"score", "saliency_step"},
        "retain_graph": {"train", "two_pulls"},
    }


@pytest.mark.parametrize(
    ("name", "exercise"),
    [
        ("off_the_path", "off_the_path"),
        ("05_off_the_path", "off_the_path"),
        ("05_off_the_path (1)", "off_the_path"),
        ("05_off_the_path-2", "off_the_path"),
        ("05-off-the-path", "off_the_path"),
        ("05 Off the Path - Copy (2)", "off_the_path"),
        ("off_the_path (12)", "off_the_path"),
        ("off_the_path copy 2", "off_the_path"),
        ("Off_The_Path_copy", "off_the_path"),
        ("off_the_path-0b1c2d3e-1111-4222-8333-444455556666", "off_the_path"),
        ("ada_05_off_the_path_final", "off_the_path"),
        ("test_05_off_the_path", "off_the_path"),
        ("my_off_the_path", ""),
        ("105_off_the_path", ""),
        ("05_off_the_paths", ""),
        ("05_off_the_path_06_in_place_add", ""),
        ("exercise", ""),
        ("(1)", ""),
        ("", ""),
    ],
)
def test_a_name_tells_the_exercise(name: str, exercise: str) -> None:
    assert whole.called(name) == exercise


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("ada_05_off_the_path", ("ada", "off_the_path")),
        ("ada - 05_off_the_path (1)", ("ada", "off_the_path")),
        ("05_off_the_path_ada", ("", "off_the_path")),
        ("ada_off_the_path", ("ada_off_the_path", "")),
    ],
)
def test_what_stands_before_a_slug(name: str, split: tuple[str, str]) -> None:
    assert whole.split(name) == split


@pytest.mark.parametrize(
    ("text", "names", "answered"),
    [
        (b"# exercise: slope\ndef double(x): ...", ["01_double"], ("slope",)),
        (b"\xef\xbb\xbf# exercise: slope\n", [], ("slope",)),
        (b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\n# exercise: slope \xe9\n", [], ("slope",)),
        (b"\n\n\n# exercise: slope\n", ["step"], ("step",)),
        (b"# exercise: no_such\n", ["step"], ("step",)),
        (b"def double(x): ...", ["exercise", "02_slope"], ("slope",)),
        (b"def double(x): ...", ["step", "02_slope"], ("step",)),
        (b"x = 1\nasync  def double (x):\n  pass", ["exercise"], ("double",)),
        (b"def double(x:\n  syntax error", [], ("double",)),
        (b"def double(x): ...\ndef step(w, x): ...\n", [], ("double", "step")),
        (b"class A:\n    def double(self): ...", [], ()),
        (b"def other(): ...", ["exercise", "main"], ()),
        (b"", [], ()),
    ],
)
def test_a_file_is_told_by_lines_names_and_functions(text: bytes, names: list[str], answered: tuple[str, ...]) -> None:
    assert small.answered(text, names) == answered


def test_a_part_of_an_exercises_functions_tells_it_if_no_other_is_met() -> None:
    assert whole.answered(b"def fit(): ...\n", []) == ("in_place_add",)
    assert whole.answered(b"def train(): ...\ndef train_step(): ...\n", []) == ("off_the_path",)
    assert whole.answered(b"def train(): ...\ndef fit(): ...\n", []) == ()


def test_text_that_no_parser_survives_is_read() -> None:
    assert small.answered(b"def double(x): return " + b"-" * 900_000 + b"(" * 90_000, []) == ("double",)


def test_an_exercise_of_the_course_that_is_broken_is_told_by_its_name(tmp_path: Path) -> None:
    for folder in ("checks", "lessons/01_a", "lessons/02_b", "lessons/04_d"):
        (tmp_path / folder).mkdir(parents=True)
    for slug in ("01_a", "02_b", "03_c", "04_d"):
        (tmp_path / "checks" / f"test_{slug}.py").touch()
    (tmp_path / "lessons/01_a/exercise.py").write_text("def same(): ...\ndef own(): ...\n")
    (tmp_path / "lessons/02_b/exercise.py").write_text("def same(: ...\n")
    (tmp_path / "lessons/04_d/exercise.py").write_text("def same(): ...\ndef last(): ...\n")
    broken = exercises_of(Course(tmp_path))
    assert broken.functions == {"a": {"own"}, "b": frozenset(), "c": frozenset(), "d": {"last"}}
    assert broken.answered(b"", ["02_b"]) == ("b",)
    assert broken.answered(b"def same(): ...", []) == ()
    assert broken.answered(b"def other(): ...", []) == ()
