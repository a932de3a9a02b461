"""The verdict on 01_backward_first: one step on the mean squared error of `x @ w`, in closed form."""

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, normal

LR = 0.1


def trips(count: int, features: int) -> tuple[Tensor, Tensor, Tensor]:
    return normal(features), normal(count, features), normal(count, scale=2.0)


def gradient_by_trip(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The gradient of every trip's own squared error, (trips, features); their mean is the gradient of the mean."""
    w, x, y = w.double(), x.double(), y.double()
    gradients = 2 * (x @ w - y)[:, None] * x
    for i in range(len(w)):
        up, down = w.clone(), w.clone()
        up[i] += 1e-5
        down[i] -= 1e-5
        slope = ((x @ up - y) ** 2 - (x @ down - y) ** 2) / 2e-5
        assert torch.allclose(slope, gradients[:, i], rtol=0, atol=1e-6 * float(gradients.abs().max()))
    return gradients


def mistaken(by_trip: Tensor) -> dict[str, list[Tensor]]:
    """The gradient that each mistake would give in place of the mean's."""
    mean = by_trip.mean(0)
    return {
        "wrong_scale": [len(by_trip) * mean],
        "wrong_scalar": [by_trip[0], by_trip[-1]],
        "accumulated": [2 * mean],
        "lost": [0 * mean],
    }


def test_the_losses_stay_one_per_trip(exercise: Exercise) -> None:
    w, x, y = trips(8, 3)
    got = exercise.first_step(w, x, y)
    expect("losses", got["losses"], (x.double() @ w.double() - y.double()) ** 2)


def test_the_norm_is_that_of_the_gradient(exercise: Exercise) -> None:
    w, x, y = trips(8, 3)
    by_trip = gradient_by_trip(w, x, y)
    got = exercise.first_step(w, x, y)
    otherwise = {cause: [g.norm() for g in values] for cause, values in mistaken(by_trip).items()}
    expect("gradient_norm", got["gradient_norm"], by_trip.mean(0).norm(), otherwise)


def test_the_weights_take_one_step(exercise: Exercise) -> None:
    w, x, y = trips(5, 4)
    by_trip = gradient_by_trip(w, x, y)
    got = exercise.first_step(w, x, y)
    otherwise = {cause: [w - LR * g for g in values] for cause, values in mistaken(by_trip).items()}
    expect("w", got["w"], w - LR * by_trip.mean(0), otherwise)
