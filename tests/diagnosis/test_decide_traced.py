"""What a trace adds: the cause that is proved, and its line."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from gradclinic import Diagnosis, diagnose, trace

Told = tuple[str | None, str, str]


def told(said: Diagnosis) -> Told:
    """The cause, how sure it is, and the source that is underlined."""
    place = said.location
    marked = place.source[place.column : place.end_column] if place else ""
    return said.cause.id if said.cause else None, said.certainty, marked


def leaf() -> torch.Tensor:
    return torch.tensor([1.0, 2.0], requires_grad=True)


def detached() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = leaf(), leaf()
    h = x.detach() * 2
    return x, (h * w).sum()


def data() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = leaf(), leaf()
    return x, (x.data * w).sum()


def rewrapped() -> tuple[torch.Tensor, torch.Tensor]:
    x = leaf()
    y = nn.Parameter(x * 2)
    return x, y.sum()


def copied() -> tuple[torch.Tensor, torch.Tensor]:
    x = leaf()
    y = copy.deepcopy(x)
    return x, y.sum()


def no_grad() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = leaf(), leaf()
    with torch.no_grad():
        h = x * 2
    return x, (h * w).sum()


def compared() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = leaf(), leaf()
    return x, ((x > 1) * w).sum()


def number_back() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = leaf(), leaf()
    factor = x.sum().item()
    return x, (w * factor).sum()


def memory_back() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = leaf(), leaf()
    array = x.detach().numpy()
    return x, (torch.from_numpy(array) * w).sum()


def late_flag() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = torch.tensor([1.0, 2.0]), leaf()
    loss = (x * w).sum()
    x.requires_grad_()
    return x, loss


def unused() -> tuple[torch.Tensor, torch.Tensor]:
    x, w = leaf(), leaf()
    return x, (w * 2).sum()


def beside() -> tuple[torch.Tensor, torch.Tensor]:
    w = leaf()
    y = w * 2
    beside = y.clone()
    return beside, y.sum()


def edited() -> tuple[torch.Tensor, torch.Tensor]:
    y = leaf() * 2
    y.retain_grad()
    loss = y.sum()
    y.mul_(3)
    return y, loss


@pytest.mark.parametrize(
    ("program", "cause", "marked"),
    [
        (detached, "detached", "x.detach()"),
        (data, "detached", "x.data"),
        (rewrapped, "rewrapped", "nn.Parameter(x * 2)"),
        (copied, "rewrapped", "copy.deepcopy(x)"),
        (no_grad, "grad_mode_off", "x * 2"),
        (compared, "not_differentiable", "x > 1"),
        (number_back, "left_torch", "x.sum().item()"),
        (memory_back, "left_torch", "x.detach().numpy()"),
        (late_flag, "flag_too_late", "x.requires_grad_()"),
        (unused, "unused", "torch.tensor([1.0, 2.0], requires_grad=True)"),
        (beside, "off_the_path", "y.clone()"),
        (edited, "modified_after_use", "y.mul_(3)"),
    ],
)
def test_a_tensor_that_the_loss_does_not_reach(program: Callable[[], Any], cause: str, marked: str) -> None:
    with trace():
        target, loss = program()
        loss.backward()
        said = diagnose(target, loss)
    assert told(said) == (cause, "proved", marked)
    assert [one.id for one in said.candidates] == [cause]
    assert said.state == "none"
    assert not said.ok


def test_a_number_that_was_computed_with_is_likely_in_these_words() -> None:
    with trace():
        x, w = leaf(), leaf()
        number = x.sum().item() + 1
        again = torch.tensor(number)
        loss = (again * w).sum()
        loss.backward()
        said = diagnose(x, loss)
    assert told(said) == ("left_torch", "likely", "x.sum().item()")
    left, back = said.findings[0].location, said.findings[0].also[0]
    assert left is not None
    assert said.findings[0].text == (
        f"The value left PyTorch at line {left.line}; a new tensor that the loss uses was made at line {back.line}; "
        "what happens between is not traced."
    )
    assert back.source[back.column : back.end_column] == "torch.tensor(number)"


def test_printing_a_number_is_no_way_out() -> None:
    with trace():
        x, w = leaf(), leaf()
        print(x.sum().item())
        loss = (w * w).sum()
        loss.backward()
        said = diagnose(x, loss)
    assert said.cause is None or said.cause.id == "unused"


def test_a_cut_in_another_thread_is_not_called_unused() -> None:
    with trace():
        x, w = leaf(), leaf()
        found: list[torch.Tensor] = []
        thread = threading.Thread(target=lambda: found.append(x.detach() * 2))
        thread.start()
        thread.join()
        loss = (found[0] * w).sum()
        loss.backward()
        said = diagnose(x, loss)
    assert (said.cause, said.certainty) == (None, "open")
    assert {"detached", "unused"} <= {cause.id for cause in said.candidates}


def test_a_number_that_comes_back_as_text_is_followed_by_the_names_in_the_source() -> None:
    with trace():
        x, w = leaf(), leaf()
        loss = (w * float(f"{x.sum():.3f}")).sum()
        loss.backward()
        said = diagnose(x, loss)
    assert (told(said)[:2], [one.id for one in said.candidates]) == (("left_torch", "likely"), ["left_torch", "unused"])


@pytest.mark.parametrize("way", ["memory", "parameter"])
def test_a_way_that_the_trace_does_not_see_leaves_it_open(way: str) -> None:
    with trace():
        x, w = leaf(), leaf()
        if way == "memory":
            taken = torch.zeros(2)
            taken.numpy()[:] = x.detach().numpy()
            loss = (taken * w).sum()
        else:
            made: list[nn.Parameter] = []
            thread = threading.Thread(target=lambda: made.append(nn.Parameter(x.detach())))
            thread.start()
            thread.join()
            loss = (made[0] * w).sum()
        loss.backward()
        said = diagnose(x, loss)
    assert (said.cause, said.certainty) == (None, "open")
    assert "unused" in {cause.id for cause in said.candidates}


def test_a_tensor_older_than_the_trace_leaves_it_open() -> None:
    x, w = leaf(), leaf()
    features = x.detach() * 2
    with trace():
        loss = (features * w).sum()
        loss.backward()
        said = diagnose(x, loss)
    assert (said.cause, said.certainty) == (None, "open")


def test_shadowed_and_plain_results() -> None:
    with trace():
        w = torch.ones(2, requires_grad=True) * 0.1
        v = leaf()
        v = v.view(-1)
        y = leaf() * 2
        loss = (w * v * y).sum()
        loss.backward()
        assert told(diagnose(w, loss)) == ("shadowed_leaf", "proved", "torch.ones(2, requires_grad=True) * 0.1")
        assert told(diagnose(v, loss)) == ("shadowed_leaf", "proved", "v.view(-1)")
        z = y * w
        assert told(diagnose(z, z.sum())) == ("not_a_leaf", "proved", "y * w")


def test_delivery() -> None:
    with trace():
        a, b = leaf(), leaf()
        y = a * b
        loss = y.sum()
        assert told(diagnose(a, loss))[:2] == ("no_backward", "proved")
        torch.autograd.grad(loss, a, retain_graph=True)
        assert told(diagnose(a, loss))[:2] == ("functional_grad", "proved")
        loss.backward(inputs=[b], retain_graph=True)
        assert told(diagnose(a, loss))[:2] == ("functional_grad", "proved")
        loss.backward()
        assert diagnose(a, loss).ok
        y.retain_grad()
        assert told(diagnose(y, loss)) == ("retained_late", "proved", "y.retain_grad()")
        a.grad = None
        assert told(diagnose(a, loss))[:2] == ("grad_cleared", "proved")


def test_after_the_trace_a_missing_backward_is_not_proved() -> None:
    with trace():
        a = leaf()
        loss = (a * a).sum()
    assert diagnose(a, loss).certainty == "open"


class Silent(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> None:
        return None


def test_a_function_that_returns_none() -> None:
    with trace():
        x = leaf()
        loss = Silent.apply(x).sum()  # type: ignore[no-untyped-call]
        loss.backward()
        assert told(diagnose(x, loss)) == ("backward_returned_none", "proved", "Silent.apply(x)")


def test_a_hook_asks_while_the_pass_is_running() -> None:
    said: list[Told] = []
    with trace():
        x = leaf()
        y = x * 2
        loss = (y * y).sum()
        y.register_hook(lambda grad: said.append(told(diagnose(x, loss))))
        loss.backward()
    assert said == [("no_backward", "proved", "")]


def test_zeros() -> None:
    with trace():
        x, w = leaf(), leaf()
        loss = (x.round() * w).sum()
        loss.backward()
        assert told(diagnose(x, loss)) == ("zero_derivative", "proved", "x.round()")
        assert w.grad is not None
        w.grad.zero_()
        assert told(diagnose(w, loss))[:2] == ("grad_cleared", "proved")


def test_passes_that_add_up_are_named_only_when_something_used_the_sum() -> None:
    with trace():
        a, b = leaf(), leaf()
        optimizer = torch.optim.SGD([b], lr=0.1)
        for _ in range(2):
            loss = (a * b).sum()
            loss.backward()
        assert told(diagnose(a, loss))[0] is None
        optimizer.step()
        loss = (a * b).sum()
        loss.backward()
        assert told(diagnose(b, loss))[0] is None  # it may still be cleared before its next use
        optimizer.step()
        assert told(diagnose(b, loss))[:2] == ("accumulated", "proved")
        assert told(diagnose(a, loss))[0] is None


@pytest.mark.parametrize("passed", [False, True])
def test_a_healthy_reentrant_checkpoint_is_no_cut(passed: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    with trace():
        layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
        loss = checkpoint(layer, x, use_reentrant=True).sum()
        if passed:
            loss.backward()
        said = diagnose(layer.weight, loss)
    assert told(said)[0] == (None if passed else "no_backward")
    assert said.ok is passed


def test_symptom_comes_before_its_root() -> None:
    with trace():
        x = leaf()
        loss = x.detach().sum()
        loss.requires_grad_()
        loss.backward()
        said = diagnose(x)
    assert [(one.cause.id, one.role) for one in said.findings] == [("loss_patched", "symptom"), ("detached", "root")]
    assert said.cause is said.findings[1].cause


def test_two_statements_on_a_line_are_not_one() -> None:
    with trace():
        x = torch.ones(2, requires_grad=True); y = x * 2  # noqa: E702  # fmt: skip
        loss = y.sum()
        loss.backward()
        said = diagnose(y, loss)
    assert said.cause is not None
    assert (said.cause.id, said.certainty) == ("not_a_leaf", "proved")


def test_without_a_source_a_name_may_hide_the_leaf() -> None:
    names: dict[str, Any] = {"torch": torch}
    with trace():
        exec("w = torch.ones(2, requires_grad=True) * 2\nloss = w.sum()\nloss.backward()", names)
        said = diagnose(names["w"], names["loss"])
    assert said.cause is None
    assert [one.id for one in said.candidates][:2] == ["not_a_leaf", "shadowed_leaf"]
