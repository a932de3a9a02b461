"""What an error of autograd means, and which line is behind it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from gradclinic import Diagnosis, explain, trace
from gradclinic.diagnosis.trace import _local


@pytest.fixture(autouse=True)
def no_trace() -> None:
    _local.last = None


def leaf() -> torch.Tensor:
    return torch.tensor([1.0, 2.0], requires_grad=True)


def raised(program: Callable[[], object]) -> Diagnosis:
    with pytest.raises((RuntimeError, ValueError)) as caught:
        program()
    return explain(caught.value)


def twice() -> None:
    loss = (leaf() ** 2).sum()
    loss.backward()
    loss.backward()


def several_numbers() -> None:
    (leaf() * 2).backward()


def on_a_leaf() -> None:
    x = leaf()
    x += 1


def integers() -> None:
    torch.tensor([1, 2]).requires_grad_()


def one_of_several_views() -> None:
    for row in (leaf() * 2).unbind():
        row.mul_(2)


@pytest.mark.parametrize(
    ("program", "cause", "marked"),
    [
        (twice, "graph_freed", "loss.backward()"),
        (several_numbers, "non_scalar_loss", "(leaf() * 2).backward()"),
        (on_a_leaf, "inplace_on_leaf", "x += 1"),
        (integers, "integer_dtype", "torch.tensor([1, 2]).requires_grad_()"),
        (one_of_several_views, "inplace_on_view", "row.mul_(2)"),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_a_message_that_says_it_all(program: Callable[[], None], cause: str, marked: str, traced: bool) -> None:
    if traced:
        with trace():
            said = raised(program)
    else:
        said = raised(program)
    assert said.cause is not None
    assert (said.state, said.cause.id, said.certainty) == ("error", cause, "proved")
    assert [one.id for one in said.candidates] == [cause]
    place = said.location
    assert place is not None
    assert place.source[place.column : place.end_column] == marked


def saved() -> None:
    y = leaf().exp()
    loss = (y * 2).sum()
    y.add_(1)
    loss.backward()


def no_graph() -> None:
    x = leaf()
    h = x.detach()
    h.sum().backward()


def off_the_path() -> None:
    x = leaf()
    copy = x.clone()
    torch.autograd.grad((x * 2).sum(), copy)


@pytest.mark.parametrize(
    ("program", "cause", "symptom", "marked"),
    [
        (saved, "inplace_on_saved", "inplace_on_saved", "y.add_(1)"),
        (no_graph, "detached", "loss_has_no_graph", "x.detach()"),
        (off_the_path, "off_the_path", "unused", "x.clone()"),
    ],
)
def test_a_message_that_needs_the_trace(program: Callable[[], None], cause: str, symptom: str, marked: str) -> None:
    plain = raised(program)
    assert plain.cause is None
    assert {cause, symptom} <= {one.id for one in plain.candidates}
    with trace():
        said = raised(program)
    assert said.cause is not None
    assert (said.cause.id, said.certainty, said.findings[0].cause.id) == (cause, "proved", symptom)
    place = said.location
    assert place is not None
    assert place.source[place.column : place.end_column] == marked


def test_a_frozen_model_and_a_detached_target_leave_it_open() -> None:
    def program() -> None:
        model = torch.nn.Linear(2, 1).requires_grad_(False)
        target = torch.nn.Linear(2, 1)(torch.ones(1, 2)).detach()
        (model(torch.ones(1, 2)) - target).sum().backward()

    with trace():
        said = raised(program)
    assert said.certainty != "proved"
    assert {"frozen", "detached"} <= {one.id for one in said.candidates}


def test_another_error_is_not_explained() -> None:
    said = explain(ValueError("no such file"))
    assert (said.state, said.cause, [one.id for one in said.candidates]) == ("error", None, ["exception"])
    assert said.summary == "ValueError: no such file. This is not an error of autograd that the catalogue knows."


def test_only_exceptions() -> None:
    with pytest.raises(TypeError, match="takes an exception, not a str"):
        explain("error")  # type: ignore[arg-type]


def used(program: Callable[[], object]) -> Diagnosis:
    with pytest.raises((AttributeError, TypeError)) as caught, trace():
        program()
    return explain(caught.value)


def test_a_none_that_was_a_gradient_is_traced_to_the_cut() -> None:
    def step() -> None:
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        hidden = net[0](torch.ones(1, 2)).detach()
        loss = net[1](hidden).sum()
        loss.backward()
        for p in net.parameters():
            p.data -= 0.1 * p.grad  # type: ignore[operator]

    said = used(step)
    assert (said.state, said.ok, said.target, said.certainty) == ("error", False, "p", "proved")
    assert said.cause is not None
    assert said.cause.id == "detached"
    assert said.location is not None
    assert said.location.source.strip() == "hidden = net[0](torch.ones(1, 2)).detach()"
    assert "unsupported operand type(s) for *: 'float' and 'NoneType': `p.grad` was None." in said.summary


def test_a_none_that_was_a_gradient_is_found_by_the_names_of_the_line() -> None:
    net = nn.Sequential(nn.Linear(1, 1))
    held = {"w": leaf()}

    def deep() -> None:
        net[0].weight.grad.zero_()  # type: ignore[operator, union-attr]

    def in_a_dict() -> None:
        if held["w"].grad.norm() > 1:  # type: ignore[union-attr]
            pass

    assert used(deep).target == "net[0].weight"
    assert used(in_a_dict).target == "held['w']"
    assert "no_backward" in [one.id for one in used(deep).candidates]


def test_the_last_backward_may_have_been_about_another_tensor() -> None:
    def second() -> None:
        w = leaf()
        loss = (leaf() * 2).sum()
        loss.backward()
        w.grad.zero_()  # type: ignore[union-attr]

    said = used(second)
    assert (said.cause, said.certainty) == (None, "open")
    assert [one.id for one in said.candidates] == ["no_backward", "unused"]


def test_a_none_that_is_no_gradient_or_could_be_of_two_is_not_explained() -> None:
    v, w = leaf(), leaf()

    def nothing() -> None:
        torch.ones(1) * None  # type: ignore[operator]

    def either() -> None:
        v.grad + w.grad  # type: ignore[operator]

    def called() -> None:
        (w * 2).grad_fn.nothing()  # type: ignore[union-attr]

    for program in (nothing, either, called):
        said = used(program)
        assert (said.cause, [one.id for one in said.candidates]) == (None, ["exception"])
