"""The verdict on 01_double: three checks, so that one of them can hang or crash between two others."""

from gradclinic.grading.checking import Exercise, expect, normal


def check(exercise: Exercise, *shape: int) -> None:
    x = normal(*shape)
    otherwise = {"wrong_scale": 3 * x.double(), "lost": 0 * x.double()}
    expect("the result", exercise.double(x), 2 * x.double(), otherwise)


def test_a_row(exercise: Exercise) -> None:
    check(exercise, 3)


def test_a_table(exercise: Exercise) -> None:
    check(exercise, 4, 2)


def test_a_block(exercise: Exercise) -> None:
    check(exercise, 2, 3, 2)
