"""The verdict on 08_retain_graph: truncated backpropagation and two losses on one encoder, in float64."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, integers, normal, uniform

Weights = tuple[Tensor, Tensor]  # of the input, of the state


class Recording(NamedTuple):
    """The arguments of `train`, in its order."""

    w_in: Tensor
    w_state: Tensor
    windows: Tensor
    targets: Tensor
    lr: float


def draw() -> Recording:
    n, m = 3, 4
    k, steps, batch = (int(integers(low, high)) for low, high in ((3, 5), (2, 5), (2, 7)))
    weights, windows = (normal(n, m, scale=0.7), normal(m, m, scale=0.7)), normal(k, steps, batch, n)
    return Recording(*weights, windows, uniform(k, batch, m), float(uniform(1, low=2.0, high=4.0)))


def read(window: Tensor, state: Tensor, weights: Weights, cut: bool = False) -> Tensor:
    """The state after a window; `cut` detaches it before every step."""
    w_in, w_state = weights
    for x in window.double():
        state = torch.tanh(x @ w_in + (state.detach() if cut else state) @ w_state)
    return state


def window_losses(recording: Recording, weights: Weights, cut: str) -> list[Tensor]:
    """Each window's loss. `cut` says where the history of the state ends: at each `window` (what is asked), at each
    `step` or `never`; with `restart` its value ends at the window, too."""
    state = torch.zeros(recording.windows.shape[2], len(recording.w_state), dtype=torch.double)
    losses = []
    for window, target in zip(recording.windows, recording.targets, strict=True):
        state = {"window": state.detach(), "restart": torch.zeros_like(state)}.get(cut, state)
        state = read(window, state, weights, cut == "step")
        losses.append(((state - target) ** 2).mean())
    return losses


def gradients(recording: Recording, cut: str = "window") -> list[Weights]:
    """The gradients of each window's loss with respect to both weights."""
    w_in, w_state = recording.w_in.double().requires_grad_(), recording.w_state.double().requires_grad_()
    losses = window_losses(recording, (w_in, w_state), cut)
    return [torch.autograd.grad(loss, (w_in, w_state), retain_graph=True) for loss in losses]


def assert_truncated(recording: Recording, found: list[Weights]) -> None:
    """Central differences of each window's loss along its gradient agree, while its first state is held fixed."""
    w_in, w_state = recording.w_in.double(), recording.w_state.double()
    state = torch.zeros(recording.windows.shape[2], len(w_state), dtype=torch.double)
    for window, target, (g_in, g_state) in zip(recording.windows, recording.targets, found, strict=True):
        above, below = (
            ((read(window, state, (w_in + side * g_in, w_state + side * g_state)) - target) ** 2).mean()
            for side in (1e-5, -1e-5)
        )
        assert abs((above - below) / 2e-5 - (g_in**2).sum() - (g_state**2).sum()) < 1e-6
        state = read(window, state, (w_in, w_state))


def stepped(recording: Recording, parts: list[Weights], factor: float = 1.0) -> dict[str, Tensor]:
    """The weights after one step along the sum of these gradients."""
    g_in, g_state = (torch.stack(g).sum(0) for g in zip(*parts, strict=True))
    step = recording.lr * factor
    return {"w_in": recording.w_in - step * g_in, "w_state": recording.w_state - step * g_state}


def running_total(parts: list[Weights]) -> list[Weights]:
    """A backward pass over the sum of all losses so far, after each window: the first window counts k times."""
    return [part for end in range(1, len(parts) + 1) for part in parts[:end]]


def test_the_state_carries_its_value(exercise: Exercise) -> None:
    recording = draw()
    weights = recording.w_in.double(), recording.w_state.double()
    got = exercise.train(*recording)
    expect(
        "losses",
        got["losses"],
        [float(loss) for loss in window_losses(recording, weights, "window")],
        otherwise={"state_thrown_away": [float(loss) for loss in window_losses(recording, weights, "restart")]},
    )


def test_the_gradient_stops_at_the_edge(exercise: Exercise) -> None:
    recording = draw()
    wanted, whole = gradients(recording), gradients(recording, "never")
    assert_truncated(recording, wanted)
    got = exercise.train(*recording)
    wrong = {
        "lost": [stepped(recording, wanted, 0)],
        "history_kept": [stepped(recording, whole)],
        "truncated_too_much": [stepped(recording, gradients(recording, "step"))],
        "state_thrown_away": [stepped(recording, gradients(recording, "restart"))],
        "wrong_scalar": [stepped(recording, part) for part in (whole[-1:], wanted[:1])],
        "grad_cleared": [stepped(recording, wanted[-1:])],
        "wrong_scale": [stepped(recording, wanted, 1 / len(wanted))],
        "accumulated": [stepped(recording, parts) for g in (wanted, whole) for parts in (running_total(g), g + g)],
    }
    for name, moved in stepped(recording, wanted).items():
        otherwise = {cause: [weights[name] for weights in several] for cause, several in wrong.items()}
        expect(name, got[name], moved, otherwise)


def test_each_loss_has_its_own_pull(exercise: Exercise) -> None:
    w, x, price, demand = normal(3, 4, scale=0.7), normal(6, 3), uniform(6, 4), uniform(6, 4)
    code = torch.tanh(x.double() @ w.double())
    by_price = 2 * (code - price) / code.numel()
    by_demand = 4 * code * (code**2 - demand) / code.numel()
    p, d = (x.double().T @ (pull * (1 - code**2)) for pull in (by_price, by_demand))

    def losses(side: float) -> Tensor:
        moved = torch.tanh(x.double() @ (w + side * (p + d)))
        return ((moved - price) ** 2).mean() + ((moved**2 - demand) ** 2).mean()

    assert abs((losses(1e-5) - losses(-1e-5)) / 2e-5 - ((p + d) ** 2).sum()) < 1e-6

    got = exercise.two_pulls(w, x, price, demand)
    shared = {"accumulated": [p + d], "wrong_scale": [(p + d) / 2], "lost": [0 * p]}
    expect("price", got["price"], p, {**shared, "wrong_tensor": d})
    expect("demand", got["demand"], d, {**shared, "wrong_tensor": p})
