"""What diagnose may be asked about: kinds of arguments, their order, a loss that is not named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from gradclinic import diagnose, trace

SWAPPED = "The two arguments were swapped: diagnose(target, loss) takes the loss second."


def a_model() -> tuple[nn.Module, torch.Tensor]:
    model = nn.Linear(2, 1)
    loss: torch.Tensor = model(torch.ones(1, 2)).sum()
    return model, loss


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (1.0, "takes a tensor, or several, as the loss, not a float: such a value has left PyTorch; hand over the"),
        (np.float32(1), "not a float32: such a value has left PyTorch; hand over the tensor that backward() is called"),
        ({"loss": torch.ones(1)}, "not a dict: name the entry that backward() is called on"),
        ("loss", "not a str: hand over the tensor that backward() is called on"),
        ([torch.ones(1), 2], "takes tensors as losses; one of these is an int: such a value has left PyTorch"),
        ([], "was handed an empty list of losses; leave it out to take the last one traced"),
        (nn.Linear(1, 1), "was handed two modules: its second argument is the loss, a tensor"),
    ],
)
def test_what_is_no_loss(loss: Any, said: str) -> None:
    with pytest.raises(TypeError) as raised:
        diagnose(a_model()[0], loss)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ([torch.ones(1)], "not a list: ask for each of them, or for the module that holds them"),
        (nn.Linear(1, 1).parameters(), "not a generator: ask for each of them, or for the module that holds them"),
        ("weight", "not a str: hand over the parameter itself, such as dict(model.named_parameters())[name]"),
        (None, "takes a tensor or a module as its target, not a NoneType"),
    ],
)
def test_what_is_no_target(target: Any, said: str) -> None:
    with pytest.raises(TypeError) as raised:
        diagnose(target, torch.ones(1))
    assert said in str(raised.value)


def test_what_is_no_optimizer() -> None:
    model, loss = a_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(TypeError, match="takes one optimizer, not a list: ask once for each of them"):
        diagnose(model, loss, optimizer=[optimizer])  # type: ignore[arg-type]
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.raises(TypeError, match=r"takes one optimizer, not a StepLR: hand over its \.optimizer"):
        diagnose(model, loss, optimizer=schedule)  # type: ignore[arg-type]


def test_swapped_arguments_are_recognised_and_said() -> None:
    model, loss = a_model()
    weight = next(model.parameters())
    right: list[tuple[Any, Any]] = [
        (weight, loss),
        (weight, [loss, loss * 2]),
        (model, loss),
        (model, [loss, loss * 2]),
    ]
    for target, losses in right:
        straight = diagnose(target, losses)
        assert SWAPPED not in straight.notes
        swapped = diagnose(losses, target)
        assert swapped.notes == (SWAPPED, *straight.notes)
        assert (swapped.state, swapped.summary) == (straight.state, straight.summary)


def test_swapped_arguments_of_a_tensor_that_was_cut_off() -> None:
    with trace():
        w, b = (torch.ones(2, requires_grad=True) for _ in range(2))
        loss = (w.detach() * b).sum()
        loss.backward()
        said = diagnose(loss, w)
    assert said.notes == (SWAPPED,)
    assert said.cause is not None
    assert said.cause.id == "detached"


def test_a_tensor_that_is_not_on_the_way_is_not_taken_for_the_loss() -> None:
    x = torch.ones(2, requires_grad=True)
    y, loss = x * 2, (x * 3).sum()
    assert SWAPPED not in diagnose(y, loss).notes
    assert SWAPPED not in diagnose(loss, loss).notes


def test_the_loss_of_the_last_backward_is_taken_where_none_is_named() -> None:
    with trace():
        w = torch.ones(2, requires_grad=True)
        loss = w.detach().sum() + torch.ones(1, requires_grad=True).sum()
        loss.backward()
        said = diagnose(w)
    assert said.cause is not None
    assert (said.cause.id, said.certainty, said.notes) == ("detached", "proved", ())


def test_a_loss_that_is_gone_leaves_only_what_the_trace_tells() -> None:
    def step(model: nn.Module) -> None:
        loss = (model(torch.ones(1, 2)).detach() * torch.ones(1, requires_grad=True)).sum()
        loss.backward()

    model = nn.Linear(2, 1)
    with trace():
        step(model)
        said = diagnose(model.weight)
    assert said.cause is not None
    assert (said.cause.id, said.certainty) == ("detached", "likely")
    assert said.location is not None
    assert said.location.source.strip().startswith("loss = (model(torch.ones(1, 2)).detach()")
    assert said.notes == ("No loss was named, and the loss of the last backward() is gone: no graph was looked at.",)


def test_neither_a_loss_nor_a_trace() -> None:
    said = diagnose(torch.ones(2, requires_grad=True))
    assert (said.state, said.cause) == ("none", None)
    assert said.notes == (
        "No loss was named, and there is no trace: no graph was looked at.",
        "A cut leaves no mark in the graph: run this inside `with trace():`, and the answer names the line.",
    )


def test_sparse_and_nested_leaves() -> None:
    sparse = torch.ones(2, 2).to_sparse().requires_grad_()
    torch.sparse.sum(sparse * 2).backward()
    assert diagnose(sparse, torch.sparse.sum(sparse * 2)).state == "present"
    assert diagnose(torch.ones(2, 2).to_sparse().requires_grad_(), a_model()[1]).state == "none"


def test_a_result_without_a_loss_may_lie_beside_the_way() -> None:
    def step() -> torch.Tensor:
        x = torch.ones(2, requires_grad=True)
        side = x * 5
        x.sum().backward()
        return side

    with trace():
        said = diagnose(step())
    assert said.cause is not None
    assert (said.cause.id, said.certainty) == ("not_a_leaf", "likely")
    assert "off_the_path" in [one.id for one in said.candidates]


def test_two_ways_that_are_cut_at_two_lines_are_both_named() -> None:
    policy, x = nn.Linear(2, 2), torch.ones(3, 2)
    with trace():
        old = policy(x).log_softmax(-1).detach()
        new = policy(x).log_softmax(-1)
        new = new.detach()
        scale = torch.ones(1, requires_grad=True)
        loss = ((new - old).exp() * scale).mean()
        loss.backward()
        said = diagnose(policy.weight, loss)
    assert [one.location.source.strip() for one in said.findings if one.location] == [
        "old = policy(x).log_softmax(-1).detach()",
        "new = new.detach()",
    ]
    assert any(
        note.startswith("Several ways lead to the loss, and each is cut at a line of its own: ") for note in said.notes
    )


def test_two_cuts_one_behind_the_other_are_one_way() -> None:
    w = torch.ones(2, requires_grad=True)
    with trace():
        first = (w * 2).detach()
        second = (first * torch.ones(2, requires_grad=True)).detach()
        loss = (second * torch.ones(2, requires_grad=True)).sum()
        loss.backward()
        said = diagnose(w, loss)
    assert not any(note.startswith("Several ways") for note in said.notes)
