"""A forkserver for a class is warm: it still has one thread, and its children may use as many as they like."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradclinic.grading.limits import Limits
from gradclinic.grading.servers import ForkServer
from gradclinic.grading.session import Budget, ChildSession

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confined children and /proc are there on Linux only")
PROGRAM = """
import sys, torch
def product(threads):
    torch.set_num_threads(threads)
    a = torch.ones(64, 64, requires_grad=True)
    (a @ a).sum().backward()
    return a.grad[0, 0].item()
def modules():
    return [name for name in sys.modules if name == "exercise" or "warmup" in name]
"""


@pytest.fixture(scope="module", params=["torch", "torch and its optimizers"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    server = ForkServer.execute(tmp_path_factory.mktemp("root"))
    if request.param != "torch":
        server.preload("torch._dynamo")
    yield server
    server.close()


@pytest.fixture
def session(server: ForkServer) -> Iterator[ChildSession]:
    assert server.root is not None
    (folder := server.root / "answer").mkdir(exist_ok=True)
    (folder / "exercise.py").write_text(PROGRAM)
    session = ChildSession(server, folder / "exercise.py", Limits(), Budget(60.0))
    session.load()
    yield session
    session.close()


def test_it_has_one_thread(server: ForkServer) -> None:
    assert len(os.listdir(Path("/proc", str(server._pid), "task"))) == 1


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_parallel_product_and_its_backward_end(session: ChildSession, threads: int) -> None:
    assert session.call("product", (threads,), seed=1).result == 128.0


def test_the_learner_meets_nothing_of_it(session: ChildSession) -> None:
    assert session.call("modules", (), seed=1).result == ["gradclinic.grading.warmup", "exercise"]
