"""One small program per cause of zeros, of wrong numbers and of weights that never move, with the cure."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from gradclinic.causes import CAUSES

SAY_NOTHING_OF_TORCH = {"wrong_tensor", "not_computed", "wrong_value"}


def leaf(*values: float) -> Tensor:
    return torch.tensor(values, requires_grad=True)


def grad(tensor: Tensor) -> Any:
    assert tensor.grad is not None
    return tensor.grad.tolist()


def test_every_cause_that_shows_in_values_has_its_program() -> None:
    seen = {cause.id for cause in CAUSES.values() if cause.outcome in {"zero", "unmoved", "wrong"}}
    assert len(seen) == 18
    assert {f"test_{cause}" for cause in seen - SAY_NOTHING_OF_TORCH} <= set(globals())


def test_zero_derivative() -> None:
    for flat in (torch.round, torch.sign, torch.floor, lambda t: t.clamp(0.5, 1.0), lambda t: (t - 3).relu()):
        x = leaf(0.3, 1.6)
        flat(x).sum().backward()
        assert grad(x) == [0.0, 0.0]
    x = leaf(0.3, 1.6)
    nn.functional.softplus(x).sum().backward()
    assert min(grad(x)) > 0.5

    x = leaf(0.3, 1.6)
    rounded = x + (x.round() - x).detach()
    rounded.sum().backward()
    assert rounded.tolist() == [0.0, 2.0]
    assert grad(x) == [1.0, 1.0]


def test_materialized_zero() -> None:
    x, spare = leaf(1.0, 2.0), leaf(3.0)
    loss = (x * 2).sum()
    (zeros,) = torch.autograd.grad(loss, spare, materialize_grads=True, retain_graph=True)
    assert zeros.tolist() == [0.0]
    assert torch.func.grad(lambda unused, used: used.sum())(torch.ones(2), torch.ones(2)).tolist() == [0.0, 0.0]
    assert torch.autograd.grad(loss, spare, allow_unused=True)[0] is None
    x[0].backward()
    assert grad(x) == [1.0, 0.0]


class Hidden(nn.Module):
    """Keeps a layer in a list, one in a dict, and a plain tensor; registers none of them."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1))
        self.layers = [nn.Linear(1, 1)]
        self.named = {"last": nn.Linear(1, 1)}
        self.scale = leaf(1.0)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.named["last"](self.layers[0](x)) * self.scale + self.bias
        return result


def test_unregistered_parameter() -> None:
    model = Hidden()
    assert [name for name, _ in model.named_parameters()] == ["bias"]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    hidden = [model.layers[0].weight, model.named["last"].weight, model.scale]
    before = [w.item() for w in hidden]
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    assert all(w.grad is not None for w in hidden)
    assert [w.item() for w in hidden] == before
    assert model.bias.item() == pytest.approx(-0.1)

    assert len(list(nn.ModuleList(model.layers).parameters())) == 2
    assert len(list(nn.ModuleDict(model.named).parameters())) == 2


def test_stale_optimizer() -> None:
    model = nn.Sequential(nn.Linear(1, 1, bias=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[0] = layer = nn.Linear(1, 1, bias=False)
    new = layer.weight
    before = new.item()
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    assert grad(new) == [[1.0]]
    assert new.item() == before

    optimizer.add_param_group({"params": model.parameters()})
    optimizer.step()
    assert new.item() == pytest.approx(before - 0.1)


def test_accumulated() -> None:
    w = leaf(1.0)
    (w * 3).sum().backward()
    (w * 4).sum().backward()
    assert grad(w) == [7.0]
    w.grad = None
    (w * 4).sum().backward()
    assert grad(w) == [4.0]


def test_edited_through_data() -> None:
    x = leaf(0.0)
    y = x.exp()
    y.data.mul_(100)
    assert y._version == 0
    y.sum().backward()
    assert grad(x) == [100.0]  # the derivative of exp at 0 is 1

    x = leaf(0.0)
    y = x.exp()
    y = y * 2
    y.sum().backward()
    assert grad(x) == [2.0]


def test_broadcast_target() -> None:
    w, target = leaf(1.0), torch.tensor([1.0, 3.0])
    prediction = torch.tensor([[1.0], [3.0]]) * w
    assert (prediction - target).shape == (2, 2)
    ((prediction - target) ** 2).mean().backward()
    assert grad(w) == [2.0]  # the prediction is right in each row: the gradient should be 0
    with pytest.warns(UserWarning, match="broadcasting"):
        mse_loss(prediction, target)

    for one, other in ((prediction.squeeze(1), target), (prediction, target.unsqueeze(1))):
        assert mse_loss(one, other).item() == 0.0


def test_nonfinite_derivative() -> None:
    x = leaf(0.0)
    root = x.sqrt()
    assert root.item() == 0.0
    root.sum().backward()
    assert grad(x) == [float("inf")]

    x = leaf(0.0)
    chosen = torch.where(x > 0, x.sqrt(), x * 2)
    assert chosen.item() == 0.0
    chosen.sum().backward()
    assert str(grad(x)) == "[nan]"

    x = leaf(0.0)
    torch.where(x > 0, torch.where(x > 0, x, 1.0).sqrt(), x * 2).sum().backward()
    assert grad(x) == [2.0]


def test_wrong_scale() -> None:
    w = leaf(1.0)
    (w * torch.tensor([1.0, 2.0, 6.0])).backward(torch.ones(3))
    assert grad(w) == [9.0]
    w.grad = None
    (w * torch.tensor([1.0, 2.0, 6.0])).mean().backward()
    assert grad(w) == [3.0]


def test_wrong_scalar() -> None:
    w = leaf(1.0)
    (w * torch.tensor([1.0, 2.0, 6.0]))[0].backward()
    assert grad(w) == [1.0]  # their mean would give 3


def test_wrong_shape() -> None:
    x = leaf(1.0, 2.0)
    got = torch.autograd.grad(x.sum(), x)
    assert type(got) is tuple
    assert len(got) == 1
    assert got[0].shape == (2,)


def test_hook_order() -> None:
    state, seen = leaf(1.0), []
    for step in range(3):
        state = state * 2
        state.register_hook(lambda _, step=step: seen.append(step))
    state.sum().backward()
    assert seen == [2, 1, 0]


def windows(carry: str) -> tuple[list[float], list[float]]:
    """Losses of two windows of two steps, state = w * (state + 1) from 1 with w = 2, and what each adds to w.grad."""
    w, state = leaf(2.0), torch.ones(1)
    losses, added, total = [], [], 0.0
    for _ in range(2):
        if carry == "detached":
            state = state.detach()
        if carry == "new":
            state = torch.ones(1)
        for _ in range(2):
            state = w * ((state.detach() if carry == "cut in every step" else state) + 1)
        losses.append(state.item())
        state.sum().backward(retain_graph=carry == "retained")
        added.append(grad(w)[0] - total)
        total = grad(w)[0]
    return losses, added


def graph_sizes(carry_history: bool) -> list[int]:
    """How many nodes lie behind the state after each of three windows."""
    w, state, sizes = leaf(2.0), torch.ones(1), []
    for _ in range(3):
        state = w * (state if carry_history else state.detach())
        nodes, todo = set(), [state.grad_fn]
        while todo:
            node = todo.pop()
            if node is not None and node not in nodes:
                nodes.add(node)
                todo += [following for following, _ in node.next_functions]
        sizes.append(len(nodes))
    return sizes


# By hand: s1 = w(s0 + 1), s2 = w(s1 + 1), so ds2/dw = (s1 + 1) + w(s0 + 1), and the part through s0 is w * w * ds0/dw.
RIGHT = ([10.0, 46.0], [9.0, 45.0])


def test_history_kept() -> None:
    assert windows("detached") == RIGHT
    losses, added = windows("retained")
    assert losses == [10.0, 46.0]
    assert added == [9.0, 45.0 + 4 * 9.0]
    assert all(later > earlier for earlier, later in pairwise(graph_sizes(carry_history=True)))
    assert len(set(graph_sizes(carry_history=False))) == 1
    with pytest.raises(RuntimeError, match="a second time"):
        windows("carried")


def test_truncated_too_much() -> None:
    assert windows("cut in every step") == ([10.0, 46.0], [5.0, 23.0])


def test_state_thrown_away() -> None:
    assert windows("new") == ([10.0, 10.0], [9.0, 9.0])
