"""What a trace records of each kind of operation and happening."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from gradclinic.diagnosis.record.ledger import Trace
from gradclinic.diagnosis.record.views import Op, Source
from gradclinic.diagnosis.trace import current, trace


def leaf() -> torch.Tensor:
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def no_grad(t: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return t * 2


def inference(t: torch.Tensor) -> torch.Tensor:
    with torch.inference_mode():
        return t * 2


def buffered(t: torch.Tensor) -> torch.Tensor:
    buffer = torch.zeros(3)
    with torch.no_grad():
        buffer.copy_(t)
    return buffer


def marked(t: torch.Tensor) -> torch.Tensor:
    made: torch.Tensor = Marked.apply(t)  # type: ignore[no-untyped-call]
    return made


class Marked(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, t: torch.Tensor) -> torch.Tensor:
        out = t * 2
        ctx.mark_non_differentiable(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


CUTS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], str, str]] = {
    "detach": (lambda t: t.detach(), "detach", "detached"),
    "data": (lambda t: t.data, "data", "detached"),
    "no_grad": (no_grad, "mul", "grad_mode_off"),
    "inference_mode": (inference, "mul", "grad_mode_off"),
    "argmax": (lambda t: t.argmax(), "argmax", "not_differentiable"),
    "argmax without grad": (lambda t: no_grad(t).argmax(), "mul", "grad_mode_off"),
    "comparison": (lambda t: t > 1, "gt", "not_differentiable"),
    "integers": (lambda t: t.long(), "long", "not_differentiable"),
    "indices of max": (lambda t: torch.max(t, 0).indices, "max", "not_differentiable"),
    "torch.tensor": (lambda t: torch.tensor([t[0], t[1]]), "tensor", "rewrapped"),
    "new_tensor": (lambda t: t.new_tensor(t[0]), "new_tensor", "rewrapped"),
    "Parameter": (lambda t: nn.Parameter(t * 1), "Parameter", "rewrapped"),
    "deepcopy": (lambda t: copy.deepcopy(t), "deepcopy", "rewrapped"),
    "linspace": (lambda t: torch.linspace(0, t[0], 3), "linspace", "left_torch"),
    "copy_": (buffered, "copy_", "grad_mode_off"),
    "non differentiable Function": (marked, "apply", "not_differentiable"),
    "gradient": (lambda t: torch.autograd.grad(t.sum(), t)[0], "autograd.grad", "no_create_graph"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CUTS)
def test_a_cut_has_its_cause_and_leads_back_to_the_tensor(case: str) -> None:
    run, name, cause = CUTS[case]
    x = leaf()
    with trace() as seen:
        made = run(x)
        end = seen.maker(made)
    assert isinstance(end, Op)
    path = [end, *(one for one in seen.ancestors(end) if isinstance(one, Op))]
    assert next((op.name, op.cut) for op in path if op.cut) == (name, cause)
    assert [one.tensor is x for one in seen.ancestors(end) if isinstance(one, Source)] == [True]
    assert seen.failures == []


HEALTHY: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "arithmetic": lambda t: (1 - t) / 2 + t.exp(),
    "zeros_like": lambda t: t + torch.zeros_like(t),
    "index": lambda t: t[torch.tensor([0, 2])],
    "where": lambda t: torch.where(torch.tensor([True, False, True]), t, torch.zeros(3)),
    "relu in place": lambda t: nn.functional.relu(t * 1, inplace=True),
    "set in a buffer": lambda t: torch.zeros(3).index_copy_(0, torch.tensor([0, 1, 2]), t),
    "linear": lambda t: nn.Linear(3, 2)(t),
    "checkpoint": lambda t: checkpoint(torch.sin, t, use_reentrant=False),
    "reentrant checkpoint": lambda t: checkpoint(lambda u: u.sin() * 2, t, use_reentrant=True),
    "broadcast": lambda t: sum(torch.broadcast_tensors(t, torch.ones(3)), torch.zeros(3)),
    "initialised": lambda t: t * nn.init.uniform_(nn.Parameter(torch.empty(3))),
    "create_graph": lambda t: torch.autograd.grad((t**2).sum(), t, create_graph=True)[0],
}


@pytest.mark.parametrize("case", HEALTHY)
def test_a_healthy_path_has_no_cut(case: str) -> None:
    x = leaf()
    with trace() as seen:
        made = HEALTHY[case](x)
        end = seen.maker(made)
    assert isinstance(end, Op)
    assert [op.cut for op in (end, *seen.ancestors(end)) if isinstance(op, Op) and op.cut] == []
    assert end.tracked_out
    assert any(one.tensor is x for one in seen.ancestors(end) if isinstance(one, Source))
    assert seen.failures == []


def test_a_checkpoint_without_tracked_input_is_a_cut() -> None:
    layer = nn.Linear(3, 1)
    with trace() as seen, pytest.warns(UserWarning, match="None of the inputs"):
        out = checkpoint(layer, torch.ones(3), use_reentrant=True)
    made = seen.maker(out)
    assert isinstance(made, Op)
    assert (made.name, made.cut) == ("checkpoint", "checkpoint_cut")
    assert layer.weight in [one.tensor for one in seen.ancestors(made) if isinstance(one, Source)]


def test_each_input_says_whether_it_required_grad() -> None:
    x, k = leaf(), torch.ones(3)
    with trace() as seen:
        y = k * x
    made = seen.maker(y)
    assert isinstance(made, Op)
    assert made.inputs_tracked == (False, True)
    assert [one.kind for one in made.inputs if isinstance(one, Source)] == ["constant", "leaf"]
    assert (made.tracked_in, made.tracked_out, made.grad_mode, made.in_place) == (True, True, True, False)


def test_a_history_from_before_the_trace_is_an_unknown_source() -> None:
    old = leaf() * 2
    with trace() as seen:
        y = old + 1
    assert [one.kind for one in seen.ancestors(seen.maker(y)) if isinstance(one, Source)] == ["unknown"]  # type: ignore[arg-type]
    assert seen.maker(leaf()) is None


def test_writing_in_place_gives_a_new_state() -> None:
    with trace() as seen:
        y = leaf() * 2
        first = seen.maker(y)
        y.add_(1)
        y[0] = 5.0
    assert [state.name for state in seen.states(y) if isinstance(state, Op)] == ["mul", "add_", "__setitem__"]
    assert seen.states(y)[0] == first


def test_a_write_to_a_view_reaches_its_base() -> None:
    x = leaf()
    with trace() as seen:
        base = torch.zeros(3)
        base.view(3).add_(x)
        made = seen.maker(base)
    assert isinstance(made, Op)
    assert made.tracked_out
    assert any(one.tensor is x for one in seen.ancestors(made) if isinstance(one, Source))


def test_an_update_under_no_grad_makes_no_history() -> None:
    x = leaf()
    with trace() as seen:
        x.sum().backward()
        with torch.no_grad():
            x -= 0.1 * x.grad  # type: ignore[operator]
        x.data.mul_(2)
    assert isinstance(seen.maker(x), Source)
    edits = [(e.facts["op"], e.facts["through"]) for e in seen.events("edited", x)]
    assert edits == [("sub_", ""), ("mul_", "data")]


def test_events_in_their_order() -> None:
    x = leaf()
    with trace() as seen:
        loss = x.sum()
        loss.backward(retain_graph=True)
        torch.autograd.backward(loss)
        x.grad = None
        _ = x.grad
        y = x * 2
        y.retain_grad()
        torch.autograd.grad(y.sum(), [x, y], allow_unused=True)
        x.requires_grad_(False)
    kinds = ["backward", "backward", "grad_cleared", "grad_read", "retain_grad", "autograd_grad", "requires_grad"]
    assert [event.kind for event in seen.events()] == kinds
    first, second = seen.events("backward")
    assert (first.facts["retain_graph"], second.facts["retain_graph"]) == (True, False)
    assert first.facts["root_ops"] == (seen.maker(loss),)
    assert seen.events("autograd_grad")[0].facts["none"] == (False, False)
    assert seen.events("grad_read")[0].facts["none"] is True
    assert seen.last_roots() == [loss]


def test_a_failed_backward_says_why() -> None:
    with trace() as seen, pytest.raises(RuntimeError, match="grad can be implicitly created"):
        leaf().mul(2).backward()
    assert seen.events("backward")[0].facts["raised"].startswith("RuntimeError: grad can be implicitly created")


@pytest.mark.parametrize("how", ["zero_grad", "zero_", "set to None", "optimizer"])
def test_a_cleared_gradient_is_noted(how: str) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters())
    with trace() as seen:
        model(torch.ones(2)).sum().backward()
        if how == "zero_grad":
            model.zero_grad()
        elif how == "zero_":
            model.weight.grad.zero_()  # type: ignore[union-attr]
        elif how == "optimizer":
            optimizer.zero_grad(set_to_none=False)
        else:
            model.weight.grad = None
    found = seen.events("grad_cleared", model.weight)
    assert [event.facts["how"] for event in found] == ["zero_" if how in ("zero_", "optimizer") else "None"]


def test_a_flag_says_whether_the_tensor_was_used_before() -> None:
    with trace() as seen:
        fresh = torch.randn(3).mul_(2)
        late = torch.randn(3)
        _ = late * 2
        fresh.requires_grad_()
        late.requires_grad = True
    assert [event.facts["used_before"] for event in seen.events("requires_grad")] == [False, True]


def reentries(seen: Trace) -> list[tuple[str, bool]]:
    left = seen.events("left_torch")[0]
    return [(one.op.name if isinstance(one.op, Op) else "source", one.proved) for one in seen.reentries(left)]


@pytest.mark.filterwarnings("ignore:Converting a tensor")
def test_a_value_that_comes_back_as_the_same_object_is_proved() -> None:
    x = leaf()
    with trace() as seen:
        value = x.sum().item()
        _ = x * value
    assert reentries(seen) == [("mul", True)]
    with trace() as seen:
        array = x.detach().numpy()
        _ = torch.from_numpy(array[1:])
    assert reentries(seen) == [("from_numpy", True)]
    with trace() as seen:
        root = math.sqrt(x[0])
        _ = torch.tensor(root)
    assert reentries(seen) == [("tensor", False)]


def test_the_modules_path_is_named() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 1)))
    with trace() as seen:
        model(torch.ones(2))
        _ = torch.ones(1)
    assert [op.site.module_path for op in seen.ops()][1:] == ["0", "1.0", ""]


def test_values_keeps_intermediate_gradients() -> None:
    with trace(values=True) as seen:
        (leaf() * 2).relu().sum().backward()
    kept = [seen.tensor(op) for op in seen.ops() if op.name in ("mul", "relu")]
    assert [None if t is None else t.grad.tolist() for t in kept] == [[1.0] * 3, [1.0] * 3]  # type: ignore[union-attr]


def test_the_last_trace_can_be_asked_after_it_ended() -> None:
    with trace() as seen:
        pass
    assert current() is seen
