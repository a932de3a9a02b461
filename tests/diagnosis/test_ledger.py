"""The ledger stays small over thousands of steps and remembers what living tensors come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest
import torch
from torch import nn

from gradclinic.diagnosis.record.ledger import Trace
from gradclinic.diagnosis.record.views import Op, Source
from gradclinic.diagnosis.trace import trace

STEPS = 10_000
Program = Callable[[Trace], Iterator[torch.Tensor]]  # yields the tensor to ask about, after each step


def carried(seen: Trace) -> Iterator[torch.Tensor]:
    w, state = torch.ones(2, requires_grad=True), torch.zeros(2)
    while True:
        state = (state * 0.5 + w).tanh()
        state.sum().backward()
        w.grad = None
        state = state.detach()
        yield state


def ema(seen: Trace) -> Iterator[torch.Tensor]:
    w = torch.ones(2, requires_grad=True)
    mean = torch.zeros(2)
    while True:
        (w * 2).sum().backward()
        w.grad = None
        mean = 0.9 * mean + 0.1 * w.detach()
        yield mean


def manual_sgd(seen: Trace) -> Iterator[torch.Tensor]:
    w = torch.ones(2, requires_grad=True)
    while True:
        loss = (w * 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 1e-6 * w.grad  # type: ignore[operator]
        w.grad = None
        yield loss


def batch_norm(seen: Trace) -> Iterator[torch.Tensor]:
    layer, x = nn.BatchNorm1d(2), torch.tensor([[0.0, 1.0], [2.0, 5.0]])
    while True:
        loss = layer(x).pow(2).sum()
        loss.backward()
        yield loss


def gan(seen: Trace) -> Iterator[torch.Tensor]:
    g, d = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    while True:
        fake = g * 2
        (fake.detach() * d).sum().backward()
        loss = (fake * d).sum()
        loss.backward()
        yield loss


def features(seen: Trace) -> Iterator[torch.Tensor]:
    w, head = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    cut = (w * 3).detach()
    while True:
        loss = (cut * head).sum()
        loss.backward()
        yield loss


def accumulation(seen: Trace) -> Iterator[torch.Tensor]:
    layer, x = nn.Linear(2, 1), torch.ones(1, 2)
    optimizer = torch.optim.SGD(layer.parameters(), 1e-6)
    for step in count(1):
        loss = (layer(x) / 4).sum()
        loss.backward()
        if step % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
        yield loss


def lbfgs(seen: Trace) -> Iterator[torch.Tensor]:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], lr=1e-9, max_iter=1, tolerance_grad=0.0, tolerance_change=0.0)
    losses: list[torch.Tensor] = []

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        losses[:] = [(w * 2).pow(2).sum()]
        losses[0].backward()
        return losses[0]

    while True:
        optimizer.step(closure)
        yield losses[0]


PROGRAMS: dict[str, tuple[Program, list[str], int]] = {
    "carried state": (carried, ["detached"], 1),
    "moving average": (ema, ["detached"], 1),
    "manual SGD": (manual_sgd, [], 1),
    "BatchNorm": (batch_norm, [], 5),
    "GAN": (gan, [], 2),
    "gradient accumulation": (accumulation, [], 3),
    "LBFGS": (lbfgs, [], 1),
    "features made before the loop": (features, ["detached"], 2),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_thousands_of_steps_stay_small_and_keep_their_history(name: str) -> None:
    program, cuts, sources = PROGRAMS[name]
    sizes = []
    with trace() as seen:
        running = program(seen)  # its variables live as long as this
        for step, tensor in enumerate(running, 1):  # noqa: B007
            if step in (STEPS // 4, STEPS):
                sizes.append(len(seen.rows) + len(seen.made) + len(seen.log))
            if step == STEPS:
                break
        made = seen.maker(tensor)
        assert made is not None
        path = [made, *seen.ancestors(made)]
        living = {id(one.tensor) for one in path if isinstance(one, Source) and one.tensor is not None}
        leaves = {id(t) for one in path if isinstance(one, Op) and (t := seen.tensor(one)) is not None and t.is_leaf}
    assert max(sizes) < 15_000
    assert sorted({op.cut for op in path if isinstance(op, Op) and op.cut}) == cuts
    assert len(living | leaves) >= sources
    assert (seen.dropped, seen.failures, seen.complete) == (0, [], True)


def test_folded_history_keeps_the_leaf_behind_a_cut() -> None:
    with trace() as seen:
        program = ema(seen)
        for _ in range(2_000):
            mean = next(program)
        made = seen.maker(mean)
        assert made is not None
        cut = [op for op in seen.ancestors(made) if isinstance(op, Op) and op.cut]
        behind = {seen.tensor(one) is not None for op in cut for one in op.inputs}
    assert {op.site.source.strip() for op in cut} == {"mean = 0.9 * mean + 0.1 * w.detach()"}
    assert behind == {True}


def test_a_dead_past_is_forgotten_without_a_backward() -> None:
    x = torch.ones(2)
    with trace() as seen:
        for _ in range(120_000):
            _ = x * 2
    assert len(seen.rows) < 62_000
    assert seen.complete


def test_what_is_dropped_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trace, "MOST_OPS", 60_000)
    x = torch.ones(1, requires_grad=True)
    with trace() as seen:
        y = x
        for _ in range(120_000):
            y = y + 1
        made = seen.maker(y)
        assert made is not None
        kinds = [one.kind for one in seen.ancestors(made) if isinstance(one, Source)]
    assert len(seen.rows) <= 120_000 - seen.dropped + 1
    assert seen.dropped > 0
    assert not seen.complete
    assert kinds == ["unknown"]


def test_the_source_of_a_row_that_is_gone_is_unknown() -> None:
    with trace() as seen:
        _ = torch.ones(1)
    assert seen.view(0) == Source(0, "unknown", None, seen.site_of(0))
