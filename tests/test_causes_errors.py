"""One small program per cause of an error: it shows every sentence that the catalogue says of PyTorch, and the cure."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from gradclinic.causes import CAUSES


def leaf(*values: float) -> Tensor:
    return torch.tensor(values, requires_grad=True)


def grad(tensor: Tensor) -> Any:
    assert tensor.grad is not None
    return tensor.grad.tolist()


def test_every_error_has_its_program() -> None:
    errors = {f"test_{cause.id}" for cause in CAUSES.values() if cause.outcome == "error"}
    assert len(errors) == 9
    assert errors <= set(globals())


def test_inplace_on_leaf() -> None:
    w = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        w.sub_(0.1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        w[0] = 5.0
    with torch.no_grad():
        w -= 1.0
    assert w.tolist() == [0.0, 1.0]
    assert w.is_leaf
    y = w + 1
    assert y.tolist() == [1.0, 2.0]


def test_inplace_on_saved() -> None:
    y = leaf(0.0).exp()
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()

    a, b = leaf(2.0) * 1, leaf(3.0) * 1
    for factor in (a, b):
        product = (a * b).sum()
        factor.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.backward()

    w = leaf(2.0)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = w.square().sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()

    x = leaf(0.0)
    y = x.exp()
    y = y + 1
    y.sum().backward()
    assert grad(x) == [1.0]


def test_inplace_on_view() -> None:
    x = leaf(1.0, 2.0)
    y = x * 1
    for row in (y.unbind()[0], y.split(1)[0], next(iter(y))):
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
            row.mul_(2)

    def hooked(inplace: bool) -> Tensor:
        layer, relu = nn.Linear(1, 1), nn.ReLU(inplace=inplace)
        layer.register_full_backward_hook(lambda *_: None)
        result: Tensor = relu(layer(torch.ones(1, 1, requires_grad=True)))
        return result

    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        hooked(inplace=True)
    hooked(inplace=False).sum().backward()

    y = x * 1
    with torch.no_grad():
        row = y[0]
    with pytest.raises(RuntimeError, match="view was created in no_grad mode"):
        row.mul_(2)

    y = x * 1
    y[0] *= 2
    y.sum().backward()
    assert grad(x) == [2.0, 1.0]


def test_graph_freed() -> None:
    w = leaf(2.0)
    shared = w.exp()
    first, second = shared.sum(), (shared * 2).sum()
    first.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        second.backward()

    state = torch.zeros(1)
    for _ in range(2):
        state = torch.tanh(state.detach() + w)
        state.sum().backward()

    loss = w.square().sum()
    loss.backward(retain_graph=True)
    loss.backward()


def test_non_scalar_loss() -> None:
    w = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        (w * 3).backward()
    assert w.grad is None
    single = leaf(1.0)
    (single * 3).backward()
    assert grad(single) == [3.0]
    (w * 4).mean().backward()
    assert grad(w) == [2.0, 2.0]
    w.grad = None
    (w * 4).backward(gradient=torch.tensor([0.5, 1.0]))
    assert grad(w) == [2.0, 4.0]


def test_inference_tensor() -> None:
    w = leaf(2.0)
    with torch.inference_mode():
        marked = torch.ones(1)
    assert marked.is_inference()
    assert marked.detach().is_inference()
    with pytest.raises(RuntimeError, match="cannot be saved for backward"):
        w * marked
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        marked.add_(1)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        marked.requires_grad_()
    assert (w * marked.clone()).requires_grad
    with torch.no_grad():
        plain = torch.ones(1)
    assert (w * plain).requires_grad


def test_integer_dtype() -> None:
    assert torch.tensor([1, 2]).dtype == torch.int64
    for x in (torch.tensor([1, 2]), torch.tensor([True])):
        with pytest.raises(RuntimeError, match="only Tensors of floating point"):
            x.requires_grad_()
    assert torch.tensor([1j]).requires_grad_().requires_grad
    assert torch.tensor([1.0, 2.0]).requires_grad_().requires_grad
    assert torch.tensor([1, 2]).float().requires_grad_().requires_grad


def test_no_create_graph() -> None:
    x = leaf(3.0)
    (slope,) = torch.autograd.grad(x.square().sum(), x)
    assert slope.grad_fn is None
    penalty = slope.square().sum()
    with pytest.raises(RuntimeError, match="does not require grad"):
        penalty.backward()
    (x.sum() + penalty).backward()
    assert grad(x) == [1.0]  # of the penalty (2x)^2, whose derivative is 8x, nothing arrived

    x.grad = None
    (slope,) = torch.autograd.grad(x.square().sum(), x, create_graph=True)
    (x.sum() + slope.square().sum()).backward()
    assert grad(x) == [25.0]


def test_loss_has_no_graph() -> None:
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        torch.ones(2).sum().backward()
    x = leaf(1.0)
    steps = [x * 2]
    steps.append(steps[-1].detach())
    steps.append(steps[-1].sum())
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        steps[-1].backward()
    assert [step.requires_grad for step in steps] == [True, False, False]
