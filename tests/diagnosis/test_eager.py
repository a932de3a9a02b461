"""Compiled code under a trace: it runs as written, the line is named, the answer says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

from gradclinic import diagnose, trace
from gradclinic.diagnosis.record.eager import NOTE

torch._dynamo = pytest.importorskip("torch._dynamo", reason="this torch has no compiler")
compiled: list[int] = []


def backend(graph: torch.fx.GraphModule, inputs: object) -> Callable[..., object]:
    compiled.append(1)
    return graph.forward


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    torch._dynamo.reset()
    compiled.clear()
    yield
    torch._dynamo.reset()


class Cutting(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x).detach()
        return self.second(hidden)  # type: ignore[no-any-return]


def test_an_optimizer_compiles_nothing() -> None:
    torch.optim.SGD(Cutting().parameters(), lr=0.1)
    with trace() as seen:
        pass
    assert seen.notes == []


@pytest.mark.parametrize("when", ["before", "inside"])
def test_a_compiled_model_shows_its_cut(when: str) -> None:
    model = Cutting()
    fast = torch.compile(model, backend=backend) if when == "before" else None
    with trace():
        fast = torch.compile(model, backend=backend) if fast is None else fast
        loss = fast(torch.ones(1, 2)).sum()
        loss.backward()
        answer = diagnose(model.first.weight, loss)
    assert compiled == []
    assert answer.cause is not None
    assert answer.cause.id == "detached"
    assert answer.location is not None
    assert "self.first(x).detach()" in answer.location.source
    assert answer.notes.count(NOTE) == 1
    assert model.second.weight.grad is not None
    fast(torch.ones(1, 2))
    assert compiled == [1, 1] or compiled == [1]  # after the trace it is compiled again, in one part or two


def test_nothing_is_said_where_nothing_was_compiled() -> None:
    vars(torch._dynamo.eval_frame)["cached_backends"][0] = None  # as the import of the compiler leaves it
    w = torch.ones(1, requires_grad=True)
    torch.optim.SGD([w], 0.1).step()
    with trace():
        loss = w.detach().sum()
    assert NOTE not in diagnose(w, loss).notes


def test_a_torch_that_does_not_tell_whether_anything_is_compiled_gets_the_stance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("torch._dynamo.eval_frame.cached_backends")
    with trace() as seen:
        torch.ones(1)
    assert seen.notes == [NOTE]


def test_the_stance_is_put_back_when_the_block_raises() -> None:
    fast = torch.compile(lambda x: x * 2, backend=backend)

    def block() -> None:
        with trace():
            fast(torch.ones(1))
            raise KeyError

    with pytest.raises(KeyError):
        block()
    assert compiled == []
    fast(torch.ones(1))
    assert compiled == [1]
