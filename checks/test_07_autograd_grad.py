"""The verdict on 07_autograd_grad: the explanations and the training beside them, in closed form."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, normal, uniform


class Bank(NamedTuple):
    """The arguments of `saliency_step`, in its order."""

    w: Tensor
    v: Tensor
    batches: Tensor
    targets: Tensor
    applicants: Tensor
    ages: Tensor
    lr: float


def draw(k: int, size: int, n: int, m: int) -> Bank:
    lr = float(uniform(1, low=0.5, high=1.5))
    ages = uniform(k, low=18, high=80)
    return Bank(normal(n, m, scale=0.6), normal(m), normal(k, size, n), normal(k, size), normal(k, n), ages, lr)


def saliency(w: Tensor, v: Tensor, applicants: Tensor) -> list[Tensor]:
    """d score / d form for each applicant, in float64."""
    w, v, applicants = w.double(), v.double(), applicants.double()
    rows = ((1 - torch.tanh(applicants @ w) ** 2) * v) @ w.T
    for row, form in zip(rows, applicants, strict=True):
        for i, unit in enumerate(1e-5 * torch.eye(len(form), dtype=torch.double)):
            slope = (torch.tanh((form + unit) @ w) @ v - torch.tanh((form - unit) @ w) @ v) / 2e-5
            assert abs(slope - row[i]) < 1e-6
    return list(rows)


def training_gradients(bank: Bank) -> list[dict[str, Tensor]]:
    """The gradients of each batch's own loss, in float64."""
    w, v = bank.w.double(), bank.v.double()
    gradients = []
    for x, y in zip(bank.batches.double(), bank.targets.double(), strict=True):
        code = torch.tanh(x @ w)
        pull = 2 * (code @ v - y) / bank.targets.numel()
        gradients.append({"w": x.T @ (pull[:, None] * v * (1 - code**2)), "v": code.T @ pull})
    return gradients


def assert_slope(bank: Bank, gradient: dict[str, Tensor]) -> None:
    """Along its gradient the loss rises by the squared length of the gradient: central differences agree."""

    def loss(side: float) -> Tensor:
        w, v = bank.w + side * gradient["w"], bank.v + side * gradient["v"]
        return ((torch.tanh(bank.batches.double() @ w) @ v - bank.targets) ** 2).mean()

    slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
    assert abs(slope / sum((g**2).sum() for g in gradient.values()) - 1) < 1e-5


def score_gradients(bank: Bank) -> list[dict[str, Tensor]]:
    """What the backward pass of each explanation would leave in `.grad` of the weights."""
    w, v, applicants = bank.w.double(), bank.v.double(), bank.applicants.double()
    codes = torch.tanh(applicants @ w)
    return [{"w": torch.outer(x, v * (1 - code**2)), "v": code} for x, code in zip(applicants, codes, strict=True)]


def total(gradients: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    return {name: torch.stack([g[name] for g in gradients]).sum(0) for name in ("w", "v")}


def mistaken(bank: Bank) -> dict[str, list[dict[str, Tensor]]]:
    """The gradients that each mistake would give in place of the batches' sum."""
    batches, scores = training_gradients(bank), score_gradients(bank)
    return {
        "accumulated": [total(batches + scores), total(batches + batches)],
        "grad_cleared": [batches[-1], total([batches[-1], scores[-1]])],
        "wrong_scale": [{name: len(batches) * g for name, g in total(batches).items()}],
        "lost": [{name: 0 * g for name, g in total(batches).items()}],
    }


def test_the_gradients_are_those_of_the_training(exercise: Exercise) -> None:
    bank = draw(3, 6, 5, 4)
    wanted = total(training_gradients(bank))
    assert_slope(bank, wanted)
    got = exercise.saliency_step(*bank)
    for name in ("w", "v"):
        otherwise = {cause: [g[name] for g in several] for cause, several in mistaken(bank).items()}
        expect(f"{name}_grad", got[f"{name}_grad"], wanted[name], otherwise)


def test_the_step_goes_along_them(exercise: Exercise) -> None:
    bank = draw(2, 4, 5, 3)
    wanted, start = total(training_gradients(bank)), {"w": bank.w, "v": bank.v}
    got = exercise.saliency_step(*bank)
    for name in ("w", "v"):
        otherwise = {
            cause: [start[name] - bank.lr * g[name] for g in several] for cause, several in mistaken(bank).items()
        }
        expect(name, got[name], start[name] - bank.lr * wanted[name], otherwise)


def test_each_entry_is_explained(exercise: Exercise) -> None:
    bank = draw(3, 4, 5, 3)
    moved = total(training_gradients(bank))
    wanted = saliency(bank.w, bank.v, bank.applicants)
    got = exercise.saliency_step(*bank)
    expect(
        "saliency",
        got["saliency"],
        wanted,
        otherwise={
            "wrong_shape": [(row,) for row in wanted],  # the tuple of autograd.grad, kept or stacked
            "materialized_zero": [0 * row for row in wanted],
            "accumulated": [2 * row for row in wanted],
            "wrong_tensor": saliency(bank.w - bank.lr * moved["w"], bank.v - bank.lr * moved["v"], bank.applicants),
        },
    )


def test_the_age_moves_nothing(exercise: Exercise) -> None:
    bank = draw(2, 3, 4, 3)
    got = exercise.saliency_step(*bank)
    expect("age_saliency", got["age_saliency"], [0.0] * len(bank.ages))
