"""The verdict on 03_leaf_or_not: three steps of gradient descent, against the closed form 2/n * x.T @ (x @ w - y)."""

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, normal, redraw_unless, uniform

STEPS = 3


def draw(samples: int, n: int) -> tuple[Tensor, Tensor, Tensor, float]:
    """w0, x with ones in front, y, and a step size that never overshoots."""
    x = normal(samples, n)
    x[:, 0] = 1
    return normal(n, scale=3.0), x, normal(samples), float(uniform(1, low=0.05, high=0.15))


def gradient(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return 2 / len(y) * x.T @ (x @ w - y)


def descended(w0: Tensor, x: Tensor, y: Tensor, lr: float, *, cleared: bool = True) -> tuple[Tensor, list[float]]:
    """w after the steps, and the offset's gradients, in float64. Not `cleared`: the gradients of the steps add up."""
    w, x, y = 0.1 * w0.double(), x.double(), y.double()
    total, offsets = torch.zeros_like(w), []
    for _ in range(STEPS):
        total = gradient(w, x, y) + (0 if cleared else total)
        offsets.append(float(total[0]))
        w = w - lr * total
    return w, offsets


def leaf_behind(w0: Tensor, x: Tensor, y: Tensor, lr: float) -> Tensor:
    """The unscaled leaf when it is moved by its own gradient, a tenth of the gradient of w."""
    leaf, x, y = w0.double(), x.double(), y.double()
    for _ in range(STEPS):
        leaf = leaf - lr * 0.1 * gradient(0.1 * leaf, x, y)
    return leaf


def assert_gradient(w: Tensor, x: Tensor, y: Tensor) -> None:
    """Central differences of the loss agree with the closed form."""
    w, x, y, step = w.double(), x.double(), y.double(), 1e-5
    for i, unit in enumerate(torch.eye(len(w), dtype=torch.float64)):
        above, below = (((x @ (w + side * step * unit) - y) ** 2).mean() for side in (1, -1))
        assert abs((above - below) / (2 * step) - gradient(w, x, y)[i]) < 1e-6


def test_w_after_three_steps(exercise: Exercise) -> None:
    w0, x, y, lr = draw(12, 4)
    assert_gradient(0.1 * w0, x, y)
    wanted, _ = descended(w0, x, y, lr)
    behind = leaf_behind(w0, x, y, lr)
    got = exercise.descend(w0, x, y, lr)
    expect(
        "w",
        got["w"],
        wanted,
        otherwise={
            "lost": 0.1 * w0,
            "wrong_tensor": [behind, 0.1 * behind],
            "accumulated": descended(w0, x, y, lr, cleared=False)[0],
        },
    )


def test_the_offset_gradients_of_the_steps(exercise: Exercise) -> None:
    w0, x, y, lr = draw(7, 3)
    _, wanted = descended(w0, x, y, lr)
    redraw_unless(min(map(abs, wanted)) > 0.05)  # each number is compared by itself, so none may be almost zero
    got = exercise.descend(w0, x, y, lr)
    expect("offset_gradients", got["offset_gradients"], wanted, otherwise={"grad_cleared": [0.0] * STEPS})
