"""One small program per cause of a silent None: it shows each sentence that the catalogue says of PyTorch."""

from __future__ import annotations

import copy
import math
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from gradclinic.causes import CAUSES


def leaf(*values: float) -> Tensor:
    return torch.tensor(values, requires_grad=True)


def grad(tensor: Tensor) -> Any:
    assert tensor.grad is not None
    return tensor.grad.tolist()


def test_every_silent_cause_has_its_program() -> None:
    silent = {f"test_{cause.id}" for cause in CAUSES.values() if cause.outcome == "none"}
    assert len(silent) == 21
    assert silent <= set(globals())


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_no_backward() -> None:
    x = leaf(1.0, 2.0)
    loss = (x * 3).sum()
    assert x.grad is None
    loss.backward()
    assert grad(x) == [3.0, 3.0]

    layer, seen = nn.Linear(1, 1), []
    layer.register_full_backward_hook(lambda module, *_: seen.append(module.weight.grad))
    layer(torch.ones(1, 1)).sum().backward()
    assert seen == [None]
    assert layer.weight.grad is not None


def test_not_a_leaf() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    loss = (y * 3).sum()
    loss.backward(retain_graph=True)
    assert x.is_leaf
    assert not y.is_leaf
    assert x.grad is not None
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None

    assert torch.autograd.grad(loss, y, retain_graph=True)[0].tolist() == [3.0, 3.0]
    y.retain_grad()
    loss.backward()
    assert grad(y) == [3.0, 3.0]


def test_shadowed_leaf() -> None:
    made_by_multiplying = torch.randn(3, requires_grad=True) * 0.1
    leaves = [torch.randn(2, 2, requires_grad=True) for _ in range(2)]
    for w in (made_by_multiplying, leaves[0].view(-1), leaves[1].to(torch.float64)):
        w.sum().backward()
        with pytest.warns(UserWarning, match="not a leaf"):
            assert w.grad is None
    assert all(hidden.grad is not None for hidden in leaves)

    w = (torch.randn(3) * 0.1).requires_grad_()
    w.sum().backward()
    assert w.grad is not None


def test_retained_late() -> None:
    y = leaf(1.0, 2.0) * 2
    loss = y.sum()
    loss.backward(retain_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y.retain_grad()
        assert y.grad is None
    loss.backward()
    assert grad(y) == [1.0, 1.0]


def test_off_the_path() -> None:
    x = leaf(1.0, 2.0)
    copies = [torch.stack([x, x]), x.clone(), x[0]]
    for made in copies:
        made.retain_grad()
    assert x[0] is not x[0]
    x.sum().backward()
    assert [made.grad for made in copies] == [None, None, None]
    assert x.grad is not None

    used = x.clone()
    used.retain_grad()
    used.sum().backward()
    assert used.grad is not None


def test_unused() -> None:
    x, spare = leaf(1.0), leaf(2.0)
    loss = (x * 2).sum()
    with pytest.raises(RuntimeError, match="not have been used"):
        torch.autograd.grad(loss, spare)
    assert torch.autograd.grad(loss, spare, allow_unused=True, retain_graph=True)[0] is None
    loss.backward()
    assert spare.grad is None


def test_detached() -> None:
    x, scale = leaf(1.0, 2.0), leaf(3.0)
    y = x * 2
    assert y.detach().tolist() == y.data.tolist() == y.tolist()
    assert y.detach().grad_fn is None
    assert y.data.grad_fn is None
    for cut in (y.detach(), y.data, (x * 2).detach_()):
        loss = (scale * cut).sum()
        assert loss.item() == 18.0
        loss.backward()
    assert x.grad is None
    assert scale.grad is not None
    (scale * y).sum().backward()
    assert x.grad is not None


def test_left_torch() -> None:
    x, scale = leaf(0.5), leaf(3.0)
    assert type(x.item()) is type(x.tolist()[0]) is float
    y = x * 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of float(), but of none of the others
        numbers = [x.item(), x.tolist()[0], float(x), math.sin(x), y.detach().numpy()]
    for number in numbers:
        again = torch.as_tensor(number)
        assert again.grad_fn is None
        (scale * again).sum().backward()
    assert isinstance(numbers[-1], np.ndarray)
    assert x.grad is None

    torch.stack([torch.sin(x), x]).sum().backward()
    assert x.grad is not None


def test_rewrapped() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    with pytest.warns(UserWarning, match="copy construct"):
        from_tensor = torch.tensor(y, requires_grad=True)
    from_list = torch.tensor([y[0], y[1]], requires_grad=True)
    wrapped = [nn.Parameter(y), from_tensor, from_list, copy.deepcopy(x)]
    for new in wrapped:
        assert new.is_leaf
        assert new.grad_fn is None
        new.sum().backward()
        assert new.grad is not None
    assert x.grad is None

    torch.stack([y[0], y[1]]).sum().backward()
    assert x.grad is not None


def test_grad_mode_off() -> None:
    class Recorded(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            assert x.requires_grad
            assert not (x * 2).requires_grad
            return x * 2

    x = leaf(1.0, 2.0)
    with torch.no_grad():
        assert not (x * 2).requires_grad
    with torch.inference_mode():
        assert not (x * 2).requires_grad
    with torch.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    Recorded.apply(x)  # type: ignore[no-untyped-call]
    normal = torch.distributions.Normal(x, 1.0)
    assert not normal.sample().requires_grad
    assert normal.rsample().requires_grad

    kept = leaf(1.0)
    with torch.no_grad():
        scale = x * 2
    (scale * kept).sum().backward()
    assert x.grad is None


def test_not_differentiable() -> None:
    x, scale = leaf(1.0, 2.0), leaf(3.0)
    results = [x.argmax(), x > 0, x.long()]
    assert [result.requires_grad for result in results] == [False, False, False]
    for result in results:
        (scale * result).sum().backward()
    assert x.grad is None

    assert x.softmax(0).requires_grad
    assert x.sigmoid().requires_grad


def test_requires_grad_false() -> None:
    assert not torch.ones(2).requires_grad
    assert not torch.tensor([1.0]).requires_grad
    assert nn.Parameter(torch.ones(2)).requires_grad

    x, w = torch.ones(2), leaf(3.0)
    (x * w).sum().backward()
    assert w.grad is not None
    assert x.grad is None

    x.requires_grad_()
    (x * w).sum().backward()
    assert grad(x) == [3.0, 3.0]


def test_frozen() -> None:
    body, head = nn.Linear(1, 1), nn.Linear(1, 1)
    body.requires_grad_(False)
    head(body(torch.ones(1, 1))).sum().backward()
    assert body.weight.grad is None
    assert head.weight.grad is not None

    body.requires_grad_(True)
    before = body.weight.item()
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
    head(body(torch.ones(1, 1))).sum().backward()
    optimizer.step()
    assert body.weight.item() != before


def test_flag_on_module() -> None:
    layer, head = nn.Linear(1, 1).requires_grad_(False), nn.Linear(1, 1)
    assert not hasattr(layer, "requires_grad")
    layer.requires_grad = True  # type: ignore[assignment]
    assert "requires_grad" in vars(layer)
    assert [p.requires_grad for p in layer.parameters()] == [False, False]
    head(layer(torch.ones(1, 1))).sum().backward()
    assert layer.weight.grad is None

    del layer.requires_grad
    layer.requires_grad_(True)
    assert [p.requires_grad for p in layer.parameters()] == [True, True]


def test_flag_too_late() -> None:
    x, w = torch.ones(2), leaf(3.0)
    loss = (x * w).sum()
    x.requires_grad_()
    loss.backward()
    assert x.requires_grad
    assert x.grad is None
    assert w.grad is not None


def test_grad_cleared() -> None:
    def trained() -> tuple[Tensor, torch.optim.Optimizer]:
        w = leaf(1.0)
        (w * 3).sum().backward()
        assert w.grad is not None
        return w, torch.optim.SGD([w], lr=0.1)

    w, optimizer = trained()
    optimizer.zero_grad()
    assert w.grad is None
    w, optimizer = trained()
    optimizer.zero_grad(set_to_none=False)
    assert grad(w) == [0.0]
    w, _ = trained()
    assert w.grad is not None
    w.grad.zero_()
    assert w.grad.tolist() == [0.0]


def test_functional_grad() -> None:
    a, b = leaf(1.0), leaf(2.0)
    got = torch.autograd.grad((a * 3 + b).sum(), a)
    assert isinstance(got, tuple)
    assert got[0].tolist() == [3.0]
    assert a.grad is None
    assert b.grad is None
    (a * 3 + b).sum().backward(inputs=[a])
    assert a.grad is not None
    assert b.grad is None


def test_backward_returned_none() -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Any:
            _, b = ctx.saved_tensors
            return grad * b, None

    a, b = leaf(2.0), leaf(3.0)
    Product.apply(a, b).sum().backward()  # type: ignore[no-untyped-call]
    assert grad(a) == [3.0]
    assert b.grad is None


def test_modified_after_use() -> None:
    x = leaf(1.0, 2.0)
    level = x * 2
    level.retain_grad()
    loss = level.sum()
    level.mul_(100)
    loss.backward()
    assert level.tolist() == [200.0, 400.0]
    assert loss.item() == 6.0
    assert level.grad is None
    assert grad(x) == [2.0, 2.0]

    saved = x * 2
    loss = saved.square().sum()
    saved.detach_()
    with pytest.raises(RuntimeError, match="has been detached in-place"):
        loss.backward()

    level = x * 2
    level.retain_grad()
    loss, percent = level.sum(), level * 100
    loss.backward()
    assert percent.tolist() == [200.0, 400.0]
    assert grad(level) == [1.0, 1.0]


def test_loss_patched() -> None:
    w = leaf(2.0)
    loss = (w.detach() * 3).sum()
    with pytest.raises(RuntimeError, match="does not require grad"):
        loss.backward()
    loss.requires_grad_()
    assert loss.is_leaf
    loss.backward()
    assert loss.grad is not None
    assert w.grad is None


def test_checkpoint_cut() -> None:
    def run(x: Tensor, *, as_dict: bool, reentrant: bool) -> Tensor | None:
        inner, scale = leaf(2.0), leaf(3.0)
        block = (lambda t: {"out": t * inner}) if as_dict else (lambda t: t * inner)
        out = checkpoint(block, x, use_reentrant=reentrant)
        ((out["out"] if as_dict else out) * scale).sum().backward()
        assert scale.grad is not None
        return inner.grad

    with pytest.warns(UserWarning, match="None of the inputs have requires_grad"):
        assert run(torch.ones(1), as_dict=False, reentrant=True) is None
    assert run(leaf(1.0), as_dict=True, reentrant=True) is None
    assert run(leaf(1.0), as_dict=False, reentrant=True) is not None
    for x in (torch.ones(1), leaf(1.0)):
        for as_dict in (False, True):
            assert run(x, as_dict=as_dict, reentrant=False) is not None
