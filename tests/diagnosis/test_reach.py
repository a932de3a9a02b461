"""Whether the graph reaches a tensor: right on live and freed graphs, and without a trace of having been asked."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest
import torch

from gradclinic.diagnosis.decide import nodes, reach
from gradclinic.diagnosis.decide.reach import reached


@pytest.fixture(params=["private function", "public functions"])
def engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways to ask: the quick one, and the one for a torch that lacks the private function."""
    reach._works[:] = [] if request.param == "private function" else [False]
    yield
    reach._works[:] = []


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


def test_the_private_function_works_in_this_torch() -> None:
    reach._works[:] = []
    assert reach._private_function_works()


@pytest.mark.usefixtures("engine")
class TestAnswers:
    def test_leaves_results_and_the_loss_itself(self) -> None:
        x, unused = leaf(), leaf()
        y = x * 2
        loss = y.exp().sum()
        copy = y.clone()
        assert reached([loss], [x, unused, y, loss, copy]) == [True, False, True, True, False]

    def test_a_graph_that_backward_has_freed(self) -> None:
        x, unused = leaf(), leaf()
        y = x * x
        loss = y.sum()
        loss.backward()
        assert reached([loss], [x, unused, y]) == [True, False, True]

    def test_a_detached_way(self) -> None:
        x, w = leaf(), leaf()
        assert reached([(x.detach() * w).sum()], [x, w]) == [False, True]

    def test_several_losses(self) -> None:
        a, b, c = leaf(), leaf(), leaf()
        assert reached([a.sum(), b.sum()], [a, b, c]) == [True, True, False]

    def test_a_loss_without_a_graph_reaches_nothing(self) -> None:
        x = leaf()
        assert reached([x.detach().sum()], [x]) == [False]

    def test_a_leaf_as_the_loss(self) -> None:
        x, other = leaf(), leaf()
        assert reached([x], [x, other]) == [True, False]

    def test_a_tensor_that_does_not_require_grad(self) -> None:
        x = leaf()
        assert reached([(x * 2).sum()], [torch.ones(2), x]) == [False, True]

    def test_one_of_several_results_of_one_operation(self) -> None:
        x = leaf(1.0, 2.0, 3.0)
        first, second = x.split([1, 2])
        assert reached([first.sum()], [first, second, x]) == [True, False, True]
        assert reached([first.sum(), second.sum()], [first, second]) == [True, True]

    def test_inference_mode(self) -> None:
        x, unused = leaf(), leaf()
        loss = (x * 2).sum()
        with torch.inference_mode():
            assert reached([loss], [x, unused]) == [True, False]

    def test_a_sparse_loss(self) -> None:
        x, unused = leaf(), leaf()
        loss = torch.sparse_coo_tensor(torch.tensor([[0, 1]]), x, (3,), check_invariants=True)
        assert reached([loss], [x, unused]) == [True, False]

    def test_a_complex_loss(self) -> None:
        x = torch.tensor([1.0 + 2.0j], requires_grad=True)
        unused = leaf()
        assert reached([x * 2], [x, unused]) == [True, False]

    def test_anomaly_mode_says_nothing_and_stays_on(self) -> None:
        x, unused = leaf(), leaf()
        loss = (x * 2).sum()
        with torch.autograd.set_detect_anomaly(True, check_nan=False), warnings.catch_warnings():
            warnings.simplefilter("error")
            assert reached([loss], [x, unused]) == [True, False]
            assert torch.is_anomaly_enabled()
            assert not torch.is_anomaly_check_nan_enabled()

    def test_inside_a_backward_hook(self) -> None:
        x, unused = leaf(), leaf()
        loss = (x * 2).sum()
        said: list[list[bool | None]] = []
        x.register_hook(lambda grad: said.append(reached([loss], [x, unused])))
        (x * 3).sum().backward()
        assert said == [[True, False]]

    def test_nothing_is_changed(self) -> None:
        x, unused = leaf(), leaf()
        y = x * x
        y.retain_grad()
        loss = y.sum()
        fired: list[str] = []
        x.register_hook(lambda grad: fired.append("x"))
        y.register_hook(lambda grad: fired.append("y"))
        loss.register_hook(lambda grad: fired.append("loss"))
        before = torch.get_rng_state()
        with torch.no_grad():
            reached([loss], [x, unused, y])
            assert not torch.is_grad_enabled()
        assert fired == []
        assert x.grad is None
        assert unused.grad is None
        assert y.grad is None
        assert (loss._version, y._version, x._version) == (0, 0, 0)
        assert torch.equal(torch.get_rng_state(), before)
        loss.backward()
        assert x.grad is not None
        assert x.grad.tolist() == [2.0, 4.0]
        assert fired == ["loss", "y", "x"]


def test_a_chain_of_many_nodes_costs_no_nodes_in_python() -> None:
    x, unused = leaf(), leaf()
    y = x * 1.0
    for _ in range(20_000):
        y = y * 1.0
    before = nodes._count.alive
    assert reached([y], [x, unused]) == [True, False]
    assert nodes._count.alive == before


_DEEP = """
import sys, threading
import torch
from gradclinic.diagnosis.decide.reach import reached

def work():
    x = torch.ones(1, requires_grad=True)
    y = x
    made = []
    for _ in range(5_000):
        y = y * 1.0
        made.append(y)
    loss = y.sum()
    answers = [reached([loss], [middle])[0] for middle in made[::9]]
    assert answers == [True] * 500 + [None] * 56, answers
    loss.backward()
    assert reached([loss], [x]) == [True]
    del loss, y, made

threading.stack_size(512 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("alive")
"""


def test_questions_about_hundreds_of_tensors_do_not_crash_a_small_stack() -> None:
    ran = subprocess.run([sys.executable, "-c", _DEEP], capture_output=True, text=True, timeout=300)
    assert (ran.returncode, ran.stdout) == (0, "alive\n"), ran.stderr


def test_no_more_nodes_than_the_limit_are_ever_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "LIMIT", 3)
    monkeypatch.setattr(nodes, "_count", nodes._Count())
    results = [leaf() * 2 for _ in range(5)]
    assert [nodes.node_of(one) is not None for one in results] == [True, True, True, False, False]
    del results[:2]
    assert nodes.node_of(results[-1]) is not None
