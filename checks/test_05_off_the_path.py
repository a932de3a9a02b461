"""The verdict on 05_off_the_path: both pulls in closed form, and a training step that is still the same.

With G = dL/dc = 2 (c - targets) / n, the pull on demand is 0.9 G and the pull on temperature 1.8 G.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, normal, redraw_unless

INPUTS, HIDDEN, OUTPUTS = 4, 16, 5
LR = 0.5
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


def degrees(raw: Tensor) -> Tensor:
    return raw.relu() * 0.8 + 20


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

    def pull_of_loss_on(self, k: int) -> Tensor:
        """The gradient, with respect to k a, of the mean squared error of k a."""
        targets = self.arguments[2]
        return 2 * (k * self.a - targets) / targets.numel()


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
    raw = outputs(w, features.double())
    redraw_unless(bool(raw.abs().min() > 3e-4))
    a = degrees(raw)
    targets = (1.8 * a.detach() + 3 + 2 * noise).float()
    descent, descent_of_sum = gradients(w, mse(a, targets)), gradients(w, 1.8 * a.sum())
    w = {name: value.detach() for name, value in w.items()}
    g = 2 * (1.8 * a.detach() - targets) / targets.numel()
    p = Problem((weights, features, targets, LR), w, a.detach(), g, descent, descent_of_sum)
    agree_with_differences(p)
    return p


def agree_with_differences(p: Problem) -> None:
    """The closed form and the descent, each against a central difference along one random direction."""
    _, features, targets, _ = p.arguments
    along = normal(*p.a.shape).double()
    slope = (mse(p.a + 1e-4 * along, targets) - mse(p.a - 1e-4 * along, targets)) / 2e-4
    assert abs(slope - (1.8 * p.g * along).sum()) < 1e-6, "the closed form of the pull is wrong"
    to = {name: normal(*value.shape).double() for name, value in p.w.items()}
    ahead, behind = (
        mse(degrees(outputs({name: p.w[name] + step * to[name] for name in p.w}, features.double())), targets)
        for step in (1e-5, -1e-5)
    )
    slope = (ahead - behind) / 2e-5
    assert abs(slope - sum((p.descent[name] * to[name]).sum() for name in p.w)) < 1e-4, "the descent is wrong"


def pull_mistakes(
    pull: Tensor, others: list[Tensor], sums: list[float], losses: list[Tensor]
) -> dict[str, list[Tensor]]:
    """What a wrong way to this pull gives. `others`: pulls on something else; `sums`: slopes of plain sums;
    `losses`: the pull of a loss on something else than the bill.
    """
    batch, steps, outputs = pull.shape
    n, last, blank = pull.numel(), pull[:, -1:], torch.zeros_like(pull)
    only_last = torch.cat([blank[:, :-1], last], dim=1)
    return {
        "materialized_zero": [blank, only_last],
        "wrong_tensor": others,
        "accumulated": [2 * pull, 3 * pull],
        "wrong_scale": [k * pull for size in (batch, steps, outputs) for k in (size, 1 / size, n / size)]
        + [n * pull, -pull],
        "wrong_scalar": [torch.full_like(pull, k) for s in sums for k in (s, s / n)] + [steps * only_last, *losses],
        "hook_order": [pull.flip(1)],
        "wrong_shape": [last.expand_as(pull), pull.transpose(0, 1).reshape(pull.shape)],
    }


def test_the_forecast_is_unchanged(exercise: Exercise) -> None:
    p = problem(batch=3, steps=7)
    got = exercise.train_step(*p.arguments)
    expect("bill", got["bill"], 1.8 * p.a, otherwise={"wrong_tensor": [p.a, 2 * p.a]})


def test_the_pull_on_temperature(exercise: Exercise) -> None:
    p = problem(batch=4, steps=6)
    got = exercise.train_step(*p.arguments)
    mistakes = pull_mistakes(
        1.8 * p.g,
        others=[p.g, 0.9 * p.g, 0.8 * 1.8 * p.g],
        sums=[1.8, 1.0, 2.0],
        losses=[p.pull_of_loss_on(1), 2 * p.pull_of_loss_on(2)],
    )
    expect("pull_on_temperature", got["pull_on_temperature"], 1.8 * p.g, otherwise=mistakes)


def test_the_pull_on_demand(exercise: Exercise) -> None:
    p = problem(batch=6, steps=4)
    got = exercise.train_step(*p.arguments)
    mistakes = pull_mistakes(0.9 * p.g, others=[p.g, 1.8 * p.g], sums=[0.9, 1.0], losses=[p.pull_of_loss_on(2)])
    expect("pull_on_demand", got["pull_on_demand"], 0.9 * p.g, otherwise=mistakes)


def test_the_training_is_unchanged(exercise: Exercise) -> None:
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
