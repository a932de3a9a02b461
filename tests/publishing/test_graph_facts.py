"""The facts of graphs that torch has just built, told against graphs that can be read off the program."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

from gradclinic.diagnosis.graph import Facts, Node, operation
from gradclinic.publishing.graph_facts import collect


def facts(names: dict[str, Any], root: str = "loss", seen: str = "", asked: str = "") -> tuple[Node, ...]:
    return collect(names, root, seen.split(), asked.split()).nodes


def test_a_path_is_told_from_the_loss_to_the_leaf() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    y = w * 3
    loss = y.exp()
    loss.backward()
    assert facts({"w": w, "y": y, "loss": loss}) == (
        Node("loss", "exp", "loss", False, (1,)),
        Node("operation", "mul", "y", False, (2,)),
        Node("leaf", "leaf", "w", True, ()),
    )


def test_a_copy_beside_the_path_is_a_gap_that_names_what_it_was_made_from() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3
    beside = torch.stack([y, y])
    loss = y.sum()
    loss.backward()
    names = {"w": w, "y": y, "beside": beside, "loss": loss}
    assert facts(names, seen="beside")[-1] == Node("gap", "stack", "beside", False, (1,), "not reached from the loss")
    assert [node.kind for node in facts(names)] == ["loss", "operation", "leaf"]  # the cell never speaks of it


def test_steps_without_a_name_between_two_gaps_are_passed_over() -> None:
    w = torch.tensor(1.0, requires_grad=True)
    cut = w * 2
    far = (cut * 3).exp()
    loss = w + 1
    assert facts({"w": w, "cut": cut, "far": far, "loss": loss}, seen="cut far")[2:] == (
        Node("gap", "mul", "cut", False, (1,), "not reached from the loss"),
        Node("gap", "exp", "far", False, (2,), "not reached from the loss"),
    )


def test_an_untracked_tensor_is_a_gap_only_when_its_gradient_was_asked_for() -> None:
    image, target, w = torch.ones(2), torch.ones(2), torch.ones(2, requires_grad=True)
    loss = ((image * w - target) ** 2).sum()
    names = {"image": image, "target": target, "w": w, "loss": loss}
    gaps = [node for node in facts(names, seen="image target w", asked="image") if node.kind == "gap"]
    assert gaps == [Node("gap", "tensor", "image", False, (), "requires_grad=False")]


def test_the_other_output_of_an_operation_on_the_path_is_a_gap() -> None:
    x = torch.ones(4, requires_grad=True)
    left, right = x.split(2)
    loss = left.sum()
    nodes = facts({"x": x, "left": left, "right": right, "loss": loss}, seen="right")
    assert [(node.kind, node.name) for node in nodes] == [
        ("loss", "loss"),
        ("operation", "left"),
        ("leaf", "x"),
        ("gap", "right"),
    ]


def test_names_are_found_in_lists_dicts_and_modules_plain_ones_first() -> None:
    layer = torch.nn.Linear(1, 1, bias=False)
    steps = [layer(torch.ones(1))]
    kept = {"last": steps[0].exp()}
    y = kept["last"].sin()
    loss = y.sum()
    nodes = facts({"layer": layer, "steps": steps, "kept": kept, "values": [y], "y": y, "loss": loss})
    assert {node.name for node in nodes if node.name} == {"loss", "y", "kept['last']", "steps[0]", "layer.weight"}


def test_a_loss_without_a_graph_says_so() -> None:
    assert facts({"loss": torch.tensor(1.0)}) == (
        Node("loss", "tensor", "loss", False, (), "no grad_fn: nothing leads back from here"),
    )


def test_a_root_that_is_no_tensor_is_refused() -> None:
    with pytest.raises(LookupError, match="there is no tensor called loss"):
        facts({"loss": 1.0})


def test_looking_raises_no_warning_and_changes_nothing() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    y = w * 3
    loss = y.exp()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        facts({"w": w, "y": y, "loss": loss}, seen="w y loss", asked="w y")
    assert not y.retains_grad
    loss.backward()
    assert w.grad is not None


def test_facts_survive_the_way_through_json() -> None:
    told = Facts((Node("loss", "pow", "loss", False, (1,)), Node("gap", "leaf", "w", None, (), "why")))
    assert Facts.from_json(told.to_json()) == told


@pytest.mark.parametrize(
    ("function", "word"),
    [
        ("MulBackward0", "mul"),
        ("MseLossBackward0", "mse_loss"),
        ("torch::autograd::AccumulateGrad", "accumulate_grad"),
        ("TBackward0", "t"),
    ],
)
def test_an_operation_is_called_as_in_the_program(function: str, word: str) -> None:
    assert operation(function) == word
