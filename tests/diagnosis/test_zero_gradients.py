"""A gradient of zero: what made it so is named only where values prove it; a factor of zero, or a hook, is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from gradclinic import Diagnosis, diagnose, trace


def hook_on_a_result() -> tuple[torch.Tensor, torch.Tensor]:
    w = nn.Parameter(torch.ones(3))
    h = (w * 2).relu()
    h.register_hook(torch.zeros_like)
    return w, (h * 3).sum()


def hook_on_the_tensor() -> tuple[torch.Tensor, torch.Tensor]:
    w = nn.Parameter(torch.ones(3))
    w.register_hook(torch.zeros_like)
    return w, (w * 2).relu().sum()


def two_that_cancel() -> tuple[torch.Tensor, torch.Tensor]:
    w = nn.Parameter(torch.ones(3))
    h = w * 2
    return w, h.relu().sum() - h.relu().sum()


def hook_of_a_module() -> tuple[torch.Tensor, torch.Tensor]:
    first, last = nn.Linear(3, 3), nn.Linear(3, 1)
    last.register_full_backward_hook(lambda module, given, got: tuple(map(torch.zeros_like, given)))
    return first.weight, last(first(torch.ones(2, 3)).clamp(-90, 90)).sum()


@pytest.mark.parametrize("program", [hook_on_a_result, hook_on_the_tensor, two_that_cancel, hook_of_a_module])
def test_no_line_is_blamed_for_zeros_that_it_did_not_make(
    program: Callable[[], tuple[torch.Tensor, torch.Tensor]],
) -> None:
    with trace(values=True):
        target, loss = program()
    loss.backward()
    said = diagnose(target, loss)
    assert (said.state, said.cause, said.certainty, said.ok) == ("zero", None, "open", False)
    assert not said.findings
    assert ("hook" in said.summary) is (program in (hook_on_a_result, hook_on_the_tensor))


def test_a_unit_that_is_off_is_proved_by_its_values() -> None:
    with trace(values=True):
        w = nn.Parameter(-torch.ones(3))
        loss = (w * 2).relu().sum()  # the line
    loss.backward()
    said = diagnose(w, loss)
    assert said.cause is not None
    assert (said.cause.id, said.certainty) == ("zero_derivative", "proved")
    assert said.location is not None
    assert "# the line" in said.location.source


def low_rank(learning: bool) -> Diagnosis:
    with trace():
        first, second = nn.Parameter(torch.ones(2, 4)), nn.Parameter(torch.zeros(4, 2), requires_grad=learning)
        loss = (torch.ones(3, 4) @ first.T @ second.T - 1).pow(2).sum()
    loss.backward()
    return diagnose(first, loss)


def test_a_factor_that_starts_at_zero_and_learns_is_right() -> None:
    said = low_rank(learning=True)
    assert (said.state, said.ok, said.cause) == ("zero", True, None)
    assert "multiplied by zero" in said.summary


def test_a_factor_of_zero_that_cannot_learn_is_no_health() -> None:
    said = low_rank(learning=False)
    assert (said.state, said.ok, said.cause) == ("zero", False, None)


def test_a_way_beside_the_factor_of_zero_leaves_it_open() -> None:
    with trace():
        w, gate = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(()))
        loss = (w.pow(2) + gate * w + gate).sum()  # the square is flat at zero by itself
    loss.backward()
    said = diagnose(w, loss)
    assert (said.state, said.ok) == ("zero", False)
    assert "multiplied by zero" not in said.summary


def test_the_nan_of_one_of_two_users_is_not_laid_on_the_other() -> None:
    with trace(values=True):
        w = nn.Parameter(torch.zeros(3))
        h = w * 2
        loss = (h.sqrt() + h * 3).sum()
    loss.backward()
    said = diagnose(w, loss)
    assert said.state == "nonfinite"
    assert all("h.sqrt()" in (one.location.source if one.location else "h.sqrt()") for one in said.findings)
    assert said.certainty != "proved"
