"""What is said without a trace: facts, and every cause that fits; never a guess."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gradclinic import diagnose
from gradclinic.diagnosis.trace import _local


@pytest.fixture(autouse=True)
def no_trace() -> None:
    _local.last = None


def ids(target: torch.Tensor, loss: torch.Tensor | None = None) -> set[str]:
    return {cause.id for cause in diagnose(target, loss).candidates}


def leaf() -> torch.Tensor:
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_a_gradient_that_is_there() -> None:
    x = leaf()
    loss = (x * x).sum()
    loss.backward()
    said = diagnose(x, loss)
    assert (said.state, said.ok, said.cause, said.certainty) == ("present", True, None, "open")
    assert said.summary == "There is a gradient."


def test_before_backward_the_causes_stay_open() -> None:
    x = leaf()
    said = diagnose(x, (x * x).sum())
    assert (said.state, said.ok, said.cause, said.certainty) == ("none", False, None, "open")
    assert [cause.id for cause in said.candidates] == [
        "no_backward",
        "grad_cleared",
        "functional_grad",
        "backward_returned_none",
    ]


def test_cut_and_unused_cannot_be_told_apart() -> None:
    x, w = leaf(), leaf()
    cut = (x.detach() * w).sum()
    unused = (w * w).sum()
    assert ids(x, cut) == ids(x, unused)
    assert {"detached", "unused", "left_torch", "rewrapped", "grad_mode_off", "flag_too_late"} <= ids(x, cut)
    assert diagnose(x, cut).cause is None


def test_a_result_keeps_no_gradient() -> None:
    x = leaf()
    y = x * 2
    assert ids(y, y.sum()) == {"not_a_leaf", "shadowed_leaf", "no_backward"}


def test_a_copy_beside_the_way() -> None:
    x = leaf()
    y = x * 2
    copy = y.clone()
    found = ids(copy, y.sum())
    assert "off_the_path" in found
    assert "modified_after_use" not in found


def test_a_result_changed_in_place_after_its_use() -> None:
    x = leaf()
    y = x * 2
    y.retain_grad()
    loss = y.sum()
    y.mul_(3)
    loss.backward()
    assert "modified_after_use" in ids(y, loss)


def test_integers_are_the_one_cause_that_is_proved() -> None:
    said = diagnose(torch.tensor([1, 2]), leaf().sum())
    assert said.cause is not None
    assert (said.cause.id, said.certainty) == ("integer_dtype", "proved")
    assert said.candidates == (said.cause,)


def test_a_frozen_parameter() -> None:
    weight = nn.Parameter(torch.ones(2), requires_grad=False)
    assert {"frozen", "flag_on_module"} <= ids(weight, leaf().sum())


def test_a_tensor_made_in_inference_mode() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    said = diagnose(x, leaf().sum())
    assert said.summary == "The gradient is None. The tensor was made in inference_mode and does not require grad."
    assert {"grad_mode_off", "inference_tensor"} <= {cause.id for cause in said.candidates}


def test_a_loss_without_a_graph_is_a_symptom() -> None:
    x = leaf()
    said = diagnose(x, (x * 2).detach().sum())
    assert [(one.cause.id, one.role, one.certainty) for one in said.findings] == [
        ("loss_has_no_graph", "symptom", "proved")
    ]
    assert said.cause is None


def test_a_patched_loss_is_a_symptom() -> None:
    x = leaf()
    loss = (x * 2).detach().sum().requires_grad_()
    loss.backward()
    said = diagnose(x, loss)
    assert [(one.cause.id, one.role) for one in said.findings] == [("loss_patched", "symptom")]


def test_all_zeros_and_nan() -> None:
    x = leaf()
    loss = x.round().sum()
    loss.backward()
    assert diagnose(x, loss).state == "zero"
    assert "zero_derivative" in ids(x, loss)
    y = torch.tensor([0.0], requires_grad=True)
    loss = torch.where(y > 0, y.sqrt(), 0.0).sum()
    loss.backward()
    said = diagnose(y, loss)
    assert (said.state, said.candidates[0].id) == ("nonfinite", "nonfinite_derivative")
    assert said.summary == "There is a gradient, and it holds nan or inf. The loss itself is finite."


def test_swapped_arguments_are_recognised() -> None:
    x = leaf()
    loss = (x * x).sum()
    said = diagnose(loss, x)
    assert said.notes == ("The two arguments were swapped: diagnose(target, loss) takes the loss second.",)
    assert said.candidates[0].id == "no_backward"


def test_a_number_is_no_loss() -> None:
    with pytest.raises(TypeError, match="takes a tensor, or several, as the loss, not a float"):
        diagnose(leaf(), 3.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes a tensor or a module as its target, not a str"):
        diagnose("x")  # type: ignore[arg-type]


def test_no_warning_and_no_change(recwarn: pytest.WarningsRecorder) -> None:
    x = leaf()
    y = x * 2
    loss = y.sum()
    for target in (x, y, loss):
        str(diagnose(target, loss))
    assert [str(one.message) for one in recwarn] == []
    assert x.grad is None
    assert not y.retains_grad
    loss.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]
