"""The verdict on 02_slope: the gradient of sum((w x)^2) is 2 w x^2."""

from gradclinic.grading.checking import Exercise, expect, normal


def test_the_slope(exercise: Exercise) -> None:
    w, x = normal(3), normal(3)
    slope = 2 * w.double() * x.double() ** 2
    expect("the slope", exercise.slope(w, x), slope, {"lost": 0 * slope, "accumulated": 2 * slope})
