"""A trace changes nothing that a program can see."""

from __future__ import annotations

import gc
import os
import sys
import threading
import traceback
import types
import warnings
import weakref
from collections.abc import Generator

import pytest
import torch
from torch import nn
from torch.overrides import BaseTorchFunctionMode

from gradclinic import diagnose, explain
from gradclinic.diagnosis.trace import current, trace


def depth() -> int:
    return int(torch._C._len_torch_function_stack())


def frames(error: BaseException) -> list[str]:
    return [entry.name for entry in traceback.extract_tb(error.__traceback__)]


def test_a_warning_of_torch_names_the_users_line_once_for_each_line() -> None:
    code = "import torch\nx = torch.ones(2, requires_grad=True) * 2\nfor _ in range(3):\n    x.grad\nx.grad\n"
    seen = {}
    for traced in (False, True):
        module = types.ModuleType("users")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            if traced:
                with trace():
                    exec(compile(code, "users_file.py", "exec"), vars(module))
            else:
                exec(compile(code, "users_file.py", "exec"), vars(module))
        seen[traced] = [(one.filename, one.lineno, one.category) for one in caught]
    assert seen[True] == seen[False] == [("users_file.py", 4, UserWarning), ("users_file.py", 5, UserWarning)]


def test_a_warning_written_in_python_names_the_users_line() -> None:
    with trace(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        here = sys._getframe().f_lineno + 1
        nn.functional.mse_loss(torch.ones(3, 1), torch.ones(3))
    assert [(one.filename, one.lineno) for one in caught] == [(__file__, here)]


def test_a_traceback_has_no_frame_of_the_trace() -> None:
    a, b = torch.ones(2, 3), torch.ones(2, 3)
    here = "test_a_traceback_has_no_frame_of_the_trace"
    with trace():
        with pytest.raises(RuntimeError) as operation:
            a @ b
        with pytest.raises(IndexError) as index:
            torch.ones(())[0]
        with pytest.raises(RuntimeError) as setting:
            a.requires_grad_().add_(1)
    for caught in (operation, index, setting):
        assert frames(caught.value) == [here]


def test_tensors_die_when_they_would() -> None:
    gc.disable()
    try:
        with trace():
            x = torch.ones(3, requires_grad=True)
            y = x * 2
            z = y.detach()
            z.add_(1)
            _ = y.sum().item()
            watched = [weakref.ref(x), weakref.ref(y), weakref.ref(z)]
            del x, y, z
            assert [ref() for ref in watched] == [None, None, None]
    finally:
        gc.enable()


def test_values_gradients_and_randomness_are_the_same() -> None:
    def program() -> list[torch.Tensor]:
        torch.manual_seed(3)
        model = nn.Sequential(
            nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(8, 1)
        )
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(6, 4)).pow(2).mean().backward()
            optimizer.step()
        return [
            *model.state_dict().values(),
            torch.rand(3),
            *(p.grad for p in model.parameters() if p.grad is not None),
        ]

    plain = program()
    with trace() as seen:
        traced = program()
    assert seen.failures == []
    assert len(plain) == len(traced) == 16  # 9 of the state, 1 drawn, 6 gradients
    assert all(torch.equal(a, b) for a, b in zip(plain, traced, strict=True))


def test_what_was_patched_is_put_back() -> None:
    owners = (torch, torch.autograd, torch.autograd.Function, nn.Parameter, torch.utils.dlpack)
    before = [dict(vars(owner)) for owner in owners]
    with trace(), trace():
        assert depth() == 1
    assert depth() == 0
    assert [dict(vars(owner)) for owner in owners] == before


def test_the_hooks_of_the_user_run_once_and_grad_mode_stays() -> None:
    calls: list[str] = []
    with trace():
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda grad: calls.append("hook"))
        version = x._version
        with torch.no_grad():
            inside = torch.is_grad_enabled()
        (x * 2).sum().backward()
    assert (calls, inside, torch.is_grad_enabled(), x._version - version) == (["hook"], False, True, 0)


def test_a_closed_generator_removes_its_own_mode_and_no_other() -> None:
    def steps() -> Generator[int, None, None]:
        with trace():
            yield 1

    other = BaseTorchFunctionMode()
    running = steps()
    next(running)
    with other:
        running.close()
        assert torch.overrides._get_current_function_mode_stack() == [other]
    assert depth() == 0


def test_an_exception_leaves_no_mode() -> None:
    with pytest.raises(ZeroDivisionError), trace():
        _ = 1 / 0
    assert depth() == 0


def test_a_trace_inside_a_trace_joins_it() -> None:
    with trace() as outer:
        x = torch.ones(2)
        with trace() as inner:
            y = x * 2
        assert current() is outer
        z = y + 1
    assert inner is outer
    assert [op.name for op in outer.ops()] == ["ones", "mul", "add"]
    assert current() is outer
    del z


def test_each_thread_has_its_own() -> None:
    found: dict[str, object] = {}

    def work() -> None:
        found["before"] = current()
        x = torch.ones(2) * 2
        with trace() as mine:
            x = x + 1
        found["ops"] = [op.name for op in mine.ops()]

    with trace() as ours:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == {"before": None, "ops": ["add"]}
    assert list(ours.ops()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_drops_it() -> None:
    read, write = os.pipe()
    with trace():
        child = os.fork()
        if child == 0:
            x = torch.ones(2) * 2
            plain = torch.from_numpy.__module__ is None or torch.from_numpy.__name__ == "from_numpy"
            os.write(write, f"{depth()} {current()} {float(x.sum())} {plain}".encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert depth() == 1
    assert os.read(read, 100) == b"0 None 4.0 True"


def test_an_optimizer_step_is_not_recorded_and_its_closure_is() -> None:
    w = torch.ones(2, requires_grad=True)
    plain, fancy = torch.optim.SGD([w], lr=0.1), torch.optim.LBFGS([w], max_iter=2)

    def closure() -> torch.Tensor:
        fancy.zero_grad()
        loss = w.pow(2).sum()
        loss.backward()
        return loss

    with trace() as seen:
        w.sum().backward()
        plain.step()
        assert [op.name for op in seen.ops()] == ["sum"]
        fancy.step(closure)
    assert {op.name for op in seen.ops()} == {"sum", "pow"}
    assert [event.kind for event in seen.events("optimizer_step")] == ["optimizer_step"] * 2
    assert seen.failures == []


def test_a_step_that_raises_does_not_end_the_recording() -> None:
    w = torch.ones(2, requires_grad=True)

    class Broken(torch.optim.SGD):
        def step(self, closure: object = None) -> None:  # type: ignore[override]
            raise RuntimeError("no")

    optimizer = Broken([w], lr=0.1)
    with trace() as seen:
        with pytest.raises(RuntimeError, match="no"):
            optimizer.step()
        nn.Linear(2, 1)(w)
    assert [op.name for op in seen.ops()][-1] == "linear"
    assert depth() == 0


def test_a_failure_inside_is_noted_and_the_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with trace() as seen:
        monkeypatch.setattr(seen.places, "learn", lambda frame: 1 / 0)
        x = torch.ones(2, requires_grad=True) * 2
    assert x.tolist() == [2.0, 2.0]
    assert not seen.complete
    assert seen.failures == ["ZeroDivisionError: division by zero"] * 2


def test_a_question_leaves_nothing_in_the_trace_that_it_reads() -> None:
    def everything() -> tuple[int, list[str], list[str]]:
        return seen.rows.end, [note.kind for note in seen.log], seen.failures

    with trace() as seen:
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        model.hidden = [nn.Linear(2, 2)]  # type: ignore[assignment]
        model.scale = nn.Parameter(torch.ones(1)).double()  # a result, whose graph is looked at
        weight = model[0].weight
        assert isinstance(weight, torch.Tensor)
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        with pytest.raises(RuntimeError) as failed:
            loss.backward()
        for mode in (torch.enable_grad, torch.no_grad, torch.inference_mode):
            with mode():
                before = everything()
                for said in (diagnose(model), diagnose(model, loss), diagnose(loss, weight)):
                    assert said.state != "error"
                assert explain(failed.value).cause is not None
                str(diagnose(model)), diagnose(model)._repr_html_()
                assert everything() == before
    assert seen.failures == []
