"""The verdict on 03_step: w - 0.1 * 2 w x^2, and that it is computed from a layer's weight."""

from gradclinic.grading.checking import Exercise, expect, normal


def test_the_step(exercise: Exercise) -> None:
    w, x = normal(3), normal(3)
    slope = 2 * w.double() * x.double() ** 2
    got = exercise.step(w, x)
    expect("w", got["w"], w - 0.1 * slope, {"lost": w, "accumulated": w - 0.2 * slope})
