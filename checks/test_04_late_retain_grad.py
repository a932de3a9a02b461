"""The verdict on 04_late_retain_grad: d score / d features is fc.weight[label] / (height * width), everywhere."""

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, integers, normal, redraw_unless

Weights = dict[str, Tensor]


def draw(channels: int, maps: int, labels: int, height: int, width: int) -> tuple[Weights, Tensor, int]:
    """Weights, an image away from relu's kink, and a label."""
    weights = {
        "conv.weight": normal(maps, channels, 3, 3, scale=0.5),
        "conv.bias": normal(maps, scale=0.5),
        "fc.weight": normal(labels, maps),
        "fc.bias": normal(labels),
    }
    image = normal(channels, height, width)
    redraw_unless(bool(convolved(weights, image).abs().min() > 1e-4))
    label = int(integers(0, labels, 1))
    redraw_unless(label != best(weights, image))  # else the gradient of the best score would be right by luck
    return weights, image, label


def best(weights: Weights, image: Tensor) -> int:
    """The label with the highest score."""
    means = convolved(weights, image).clamp(min=0).mean(dim=(1, 2))
    return int((weights["fc.weight"].double() @ means + weights["fc.bias"].double()).argmax())


def patches(image: Tensor) -> Tensor:
    """What the kernel sees at every pixel, in float64: (channels, 3, 3, height, width)."""
    _, height, width = image.shape
    padded = torch.nn.functional.pad(image.double(), (1, 1, 1, 1))
    rows = [torch.stack([padded[:, i : i + height, j : j + width] for j in range(3)], dim=1) for i in range(3)]
    return torch.stack(rows, dim=1)


def convolved(weights: Weights, image: Tensor) -> Tensor:
    bias = weights["conv.bias"].double()[:, None, None]
    return torch.einsum("kcij,cijhw->khw", weights["conv.weight"].double(), patches(image)) + bias


def score(weights: Weights, image: Tensor, label: int) -> Tensor:
    return weights["fc.weight"].double()[label] @ convolved(weights, image).clamp(min=0).mean(dim=(1, 2))


def explain(weights: Weights, image: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
    """The map and the gradient of conv.weight when `row` of fc.weight makes the score, in float64."""
    before = convolved(weights, image)
    pull = row.double() / image[0].numel()  # on every pixel of each feature map
    weighted = pull[:, None, None] * before.clamp(min=0)
    gradient = torch.einsum("k,khw,cijhw->kcij", pull, (before > 0).double(), patches(image))
    return weighted.sum(dim=0).clamp(min=0), gradient


def assert_gradient(weights: Weights, image: Tensor, label: int, gradient: Tensor) -> None:
    """Central differences of the score agree with the closed form, at one weight of each feature map."""
    step = 1e-6
    for k in range(len(gradient)):
        nudge = torch.zeros_like(gradient)
        nudge[k, 0, 2, 1] = step
        above, below = (
            score({**weights, "conv.weight": weights["conv.weight"] + side * nudge}, image, label) for side in (1, -1)
        )
        assert abs((above - below) / (2 * step) - gradient[k, 0, 2, 1]) < 1e-6


def test_the_map(exercise: Exercise) -> None:
    weights, image, label = draw(channels=2, maps=4, labels=3, height=5, width=6)
    wanted, _ = explain(weights, image, weights["fc.weight"][label])
    of_all_scores, _ = explain(weights, image, weights["fc.weight"].sum(dim=0))
    of_best, _ = explain(weights, image, weights["fc.weight"][best(weights, image)])
    # else these mistakes, too, would give a map of zeros
    redraw_unless(of_all_scores.max() > 0.01 and of_best.max() > 0.01)
    got = exercise.grad_cam(weights, image, label)
    expect(
        "map",
        got["map"],
        wanted,
        otherwise={
            "materialized_zero": 0 * wanted,
            "accumulated": 2 * wanted,
            "wrong_scalar": [of_all_scores, of_best],
        },
    )


def test_the_gradient_of_the_convolution(exercise: Exercise) -> None:
    weights, image, label = draw(channels=1, maps=3, labels=4, height=4, width=4)
    _, wanted = explain(weights, image, weights["fc.weight"][label])
    _, of_all_scores = explain(weights, image, weights["fc.weight"].sum(dim=0))
    _, of_best = explain(weights, image, weights["fc.weight"][best(weights, image)])
    assert_gradient(weights, image, label, wanted)
    got = exercise.grad_cam(weights, image, label)
    expect(
        "conv_gradient",
        got["conv_gradient"],
        wanted,
        otherwise={"lost": 0 * wanted, "accumulated": 2 * wanted, "wrong_scalar": [of_all_scores, of_best]},
    )
