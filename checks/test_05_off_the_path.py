"""The verdict on 05_off_the_path: both pulls in closed form, and a training step that is still the same.

With G = dL/dc = 2 (c - targets) / n, the pull on demand is 0.9 G and the pull on temperature 1.8 G.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, normal, redraw_unless

INPUTS, HIDDEN, OUTPUTS = 4, 16, 5
LR = 0.1
Weights = dict[str, Tensor]


def outputs(w: Weights, features: Tensor) -> Tensor:
    """The LSTM cell and the linear layer, written out; (batch, steps, outputs), before the relu."""
    h = c = features.new_zeros(len(features), HIDDEN)
    steps = []
    for x in features.unbind(1):
        gates = x @ w["lstm_cell.weight_ih"].T + w["lstm_cell.bias_ih"]
        gates = gates + h @ w["lstm_cell.weight_hh"].T + w["lstm_cell.bias_hh"]
        i, f, g, o = gates.chunk(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        steps.append(h @ w["fc.weight"].T + w["fc.bias"])
    return torch.stack(steps, dim=1)


def temperature(w: Weights, features: Tensor) -> Tensor:
    return outputs(w, features).relu() * 0.8 + 20


def mse(a: Tensor, targets: Tensor) -> Tensor:
    return ((1.8 * a - targets) ** 2).mean()


def gradients(w: Weights, scalar: Tensor) -> Weights:
    return dict(zip(w, torch.autograd.grad(scalar, list(w.values()), retain_graph=True), strict=True))


@dataclass(frozen=True)
class Problem:
    arguments: tuple[Weights, Tensor, Tensor, float]
    w: Weights  # float64, and so is all that follows
    a: Tensor
    g: Tensor  # dL/dc
    descent: Weights  # dL/dw
    descent_of_sum: Weights  # d(c.sum())/dw


def problem(batch: int, steps: int) -> Problem:
    """Fresh inputs, away from the kink of relu, and targets that lie off on one side, so that every weight moves."""
    weights = {
        "lstm_cell.weight_ih": normal(4 * HIDDEN, INPUTS, scale=0.4),
        "lstm_cell.weight_hh": normal(4 * HIDDEN, HIDDEN, scale=0.4),
        "lstm_cell.bias_ih": normal(4 * HIDDEN, scale=0.4),
        "lstm_cell.bias_hh": normal(4 * HIDDEN, scale=0.4),
        "fc.weight": normal(OUTPUTS, HIDDEN, scale=0.4),
        "fc.bias": normal(OUTPUTS, scale=0.4) + 0.3,
    }
    features, noise = normal(batch, steps, INPUTS), normal(batch, steps, OUTPUTS)
    w = {name: value.double().requires_grad_() for name, value in weights.items()}
    x = features.double()
    redraw_unless(bool(outputs(w, x).abs().min() > 3e-4))
    a = temperature(w, x)
    targets = (1.8 * a.detach() + 3 + 2 * noise).float()
    y = targets.double()
    g = 2 * (1.8 * a.detach() - y) / y.numel()
    descent = gradients(w, mse(a, y))
    agree_with_differences(w, x, y, a.detach(), g, descent)
    w = {name: value.detach() for name, value in w.items()}
    descent_of_sum = gradients_of_sum(w, x)
    return Problem((weights, features, targets, LR), w, a.detach(), g, descent, descent_of_sum)


def gradients_of_sum(w: Weights, x: Tensor) -> Weights:
    w = {name: value.clone().requires_grad_() for name, value in w.items()}
    return gradients(w, 1.8 * temperature(w, x).sum())


def agree_with_differences(w: Weights, x: Tensor, y: Tensor, a: Tensor, g: Tensor, descent: Weights) -> None:
    """The closed form and the descent, each against a central difference along one random direction."""
    along = normal(*a.shape).double()
    slope = (mse(a + 1e-4 * along, y) - mse(a - 1e-4 * along, y)) / 2e-4
    assert abs(slope - (1.8 * g * along).sum()) < 1e-6, "the closed form of the pull is wrong"
    to = {name: normal(*value.shape).double() for name, value in w.items()}
    ahead, behind = ({name: (w[name] + s * to[name]).detach() for name in w} for s in (1e-5, -1e-5))
    slope = (mse(temperature(ahead, x), y) - mse(temperature(behind, x), y)) / 2e-5
    assert abs(slope - sum((descent[name] * to[name]).sum() for name in w)) < 1e-4, "the descent is wrong"


def pull_mistakes(p: Problem, pull: Tensor, others: list[Tensor], sums: list[float]) -> dict[str, list[Tensor]]:
    """What a wrong way to this pull gives. `others`: pulls on something else; `sums`: slopes of plain sums."""
    batch, steps, outputs = pull.shape
    n, last, blank = pull.numel(), pull[:, -1:], torch.zeros_like(pull)
    only_last = torch.cat([blank[:, :-1], last], dim=1)
    return {
        "materialized_zero": [blank, only_last],
        "wrong_tensor": others,
        "accumulated": [2 * pull, 3 * pull],
        "wrong_scale": [k * pull for size in (batch, steps, outputs) for k in (size, 1 / size, n / size)]
        + [n * pull, -pull],
        "wrong_scalar": [*(torch.full_like(pull, k) for k in (*sums, *(s / n for s in sums))), steps * only_last],
        "hook_order": [pull.flip(1)],
        "wrong_shape": [
            last,
            last.expand_as(pull),
            pull.transpose(0, 1),
            pull.transpose(0, 1).reshape(pull.shape),
        ],
    }


def test_the_forecast_is_unchanged(exercise: Exercise) -> None:
    p = problem(batch=3, steps=7)
    got = exercise.train_step(*p.arguments)
    expect("bill", got["bill"], 1.8 * p.a, otherwise={"wrong_tensor": [p.a, 2 * p.a]})


def test_the_pull_on_temperature_is_true_for_every_hour(exercise: Exercise) -> None:
    p = problem(batch=4, steps=6)
    got = exercise.train_step(*p.arguments)
    mistakes = pull_mistakes(p, 1.8 * p.g, others=[p.g, 0.9 * p.g], sums=[1.8, 1.0, 2.0])
    expect("pull_on_temperature", got["pull_on_temperature"], 1.8 * p.g, otherwise=mistakes)


def test_the_pull_on_demand_is_true_for_every_hour(exercise: Exercise) -> None:
    p = problem(batch=6, steps=4)
    got = exercise.train_step(*p.arguments)
    mistakes = pull_mistakes(p, 0.9 * p.g, others=[p.g, 1.8 * p.g], sums=[0.9, 1.0])
    expect("pull_on_demand", got["pull_on_demand"], 0.9 * p.g, otherwise=mistakes)


def test_the_training_step_is_unchanged(exercise: Exercise) -> None:
    p = problem(batch=6, steps=7)
    got = exercise.train_step(*p.arguments)

    def moved(by: float, descent: Weights) -> Weights:
        return {name: p.w[name] - by * LR * descent[name] for name in p.w}

    mistakes = {
        "lost": p.w,
        "accumulated": [moved(2, p.descent), moved(3, p.descent)],
        "wrong_scale": [moved(-1, p.descent), moved(p.g.numel(), p.descent)],
        "wrong_scalar": moved(1, p.descent_of_sum),
    }
    expect("weights", got["weights"], moved(1, p.descent), otherwise=mistakes)
