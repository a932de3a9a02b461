"""Where the answer could have said too much: it says what it knows, and no more."""

from __future__ import annotations

import torch
from torch import nn

from gradclinic import diagnose, trace


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


def clear(parameter: torch.Tensor) -> None:
    parameter.grad = None


def test_a_function_is_not_blamed_for_a_gradient_that_a_hook_has_cleared() -> None:
    w = nn.Parameter(torch.ones(3))
    w.register_post_accumulate_grad_hook(clear)
    with trace():
        loss = Twice.apply(w).sum()  # type: ignore[no-untyped-call]
        loss.backward()
    said = diagnose(w, loss)
    assert (said.state, said.certainty, said.findings) == ("none", "open", ())
    assert {"grad_cleared", "backward_returned_none"} <= {cause.id for cause in said.candidates}


def test_a_view_made_without_recording_is_not_reached_though_torch_calls_it_a_leaf_that_requires_grad() -> None:
    for traced in (False, True):
        with trace() if traced else torch.enable_grad():
            w = nn.Parameter(torch.ones(4))
            with torch.no_grad():
                view = w.view(2, 2)
            loss = (view * nn.Parameter(torch.ones(2, 2))).sum()
            loss.backward()
        said = diagnose(view, loss)
        assert (said.state, said.certainty) == ("none", "open")
        assert "grad_mode_off" in {cause.id for cause in said.candidates}


def test_what_no_optimizer_has_moved_is_told() -> None:
    with trace():
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        optimizer = torch.optim.SGD(model[0].parameters(), 0.1)
        loss = model(torch.ones(2, 3)).sum()
        loss.backward()
        optimizer.step()
    assert "No optimizer whose step this trace has seen holds 1.weight, 1.bias." in diagnose(model, loss).notes
    assert "No optimizer whose step this trace has seen holds it." in diagnose(model[1].weight, loss).notes
    assert not [note for note in diagnose(model[0].weight, loss).notes if "optimizer" in note]
