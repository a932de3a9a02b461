"""The verdict on 06_in_place_add: the weights of plain gradient descent, and the gradients of a loss that `percent`
must not disturb. Every expected number is written out in closed form; no autograd is involved.
"""

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, normal, uniform

AMBIENT, LR = 0.3, 0.7


def gradient(w: Tensor, x: Tensor, target: Tensor, ambient: float, *, saved: str = "untouched") -> Tensor:
    """d mse(sigmoid(x @ w) + ambient, target) / dw. `saved`: what sigmoid finds of its result when backward comes."""
    light = torch.sigmoid(x @ w)
    kept = light + ambient if saved == "edited" else light
    return x.T @ (2 * (light + ambient - target) * kept * (1 - kept)) / len(target)


def agrees_with_differences(w: Tensor, x: Tensor, target: Tensor) -> bool:
    def loss(v: Tensor) -> Tensor:
        return ((torch.sigmoid(x @ v) + AMBIENT - target) ** 2).mean()

    shifts = 1e-5 * torch.eye(len(w), dtype=torch.float64)
    slopes = torch.stack([(loss(w + shift) - loss(w - shift)) / 2e-5 for shift in shifts])
    return torch.allclose(slopes, gradient(w, x, target, AMBIENT), atol=1e-8)


def descend(w: Tensor, x: Tensor, target: Tensor, steps: int, mistake: str = "") -> Tensor:
    """w after `steps` steps, or what one named mistake makes of it."""
    ambient = 0.0 if mistake == "no ambient" else AMBIENT
    factor = {"sum": len(target), "uphill": -1, "no lr": 1 / LR}.get(mistake, 1)
    total = torch.zeros_like(w)
    for _ in range(steps):
        slope = gradient(w, x, target, ambient, saved="edited" if mistake == "data" else "untouched")
        total = total + slope if mistake == "no zero" else slope
        w = w - LR * factor * total
    return w


def test_fit_descends(exercise: Exercise) -> None:
    samples, features, steps = 40, 3, 4  # with two steps a rebound w and a gradient that adds up would hide
    w, x, target = normal(features), normal(samples, features), uniform(samples)
    got = exercise.fit(w, x, target, AMBIENT, LR, steps)
    problem = w.double(), x.double(), target.double()
    assert agrees_with_differences(*problem), "the closed form is wrong"
    mistakes = {
        "lost": problem[0],
        "edited_through_data": descend(*problem, steps, "data"),
        "accumulated": descend(*problem, steps, "no zero"),
        "shadowed_leaf": descend(*problem, 1),
        "wrong_scalar": descend(*problem, steps, "no ambient"),
        "wrong_scale": [descend(*problem, steps, mistake) for mistake in ("sum", "uphill", "no lr")],
    }
    expect("w", got, descend(*problem, steps), otherwise=mistakes)


def test_the_pull_on_the_weights(exercise: Exercise) -> None:
    w, x, target = normal(4), normal(9, 4), uniform(9)
    got = exercise.pull(w, x, target)
    x, level = x.double(), x.double() @ w.double()
    pull = 2 * (level - target) / len(target)
    of_percent = 2 * (100 * level - target) / len(target)
    mistakes = {
        "lost": torch.zeros(4),
        "edited_through_data": x.T @ of_percent,
        "wrong_scalar": 100 * x.T @ of_percent,
        "accumulated": [2 * x.T @ pull, 3 * x.T @ pull],
        "wrong_scale": [9 * x.T @ pull, 100 * x.T @ pull, x.T @ pull / 100],
    }
    expect("w_pull", got["w_pull"], x.T @ pull, otherwise=mistakes)


def test_the_pull_on_the_level(exercise: Exercise) -> None:
    w, x, target = normal(3), normal(7, 3), uniform(7)
    got = exercise.pull(w, x, target)
    level = x.double() @ w.double()
    pull = 2 * (level - target) / len(target)
    of_percent = 2 * (100 * level - target) / len(target)
    mistakes = {
        "materialized_zero": torch.zeros(7),
        "wrong_tensor": [pull / 100, level],
        "wrong_scalar": [of_percent, 100 * of_percent, torch.ones(7), torch.full((7,), 1 / 7)],
        "accumulated": [2 * pull, 3 * pull],
        "wrong_scale": [7 * pull, 3.5 * pull, 100 * pull, -pull],
    }
    expect("pull", got["pull"], pull, otherwise=mistakes)


def test_level_and_percent(exercise: Exercise) -> None:
    w, x, target = normal(3), normal(8, 3), uniform(8)
    got = exercise.pull(w, x, target)
    level = x.double() @ w.double()
    expect("level", got["level"], level, otherwise={"edited_through_data": 100 * level})
    expect("percent", got["percent"], 100 * level, otherwise={"wrong_scale": [level, 10_000 * level]})
