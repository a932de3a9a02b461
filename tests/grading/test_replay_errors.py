"""Errors that PyTorch raises in a learner's code, and wrong values: their cause, their root, and the line to name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Grader

RAISED = {
    "graph_freed": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum()
            loss.backward()
            loss.backward()  # <- here
            return w.grad
        """,
    "inplace_on_leaf": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            w *= 1.0  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "inplace_on_saved": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = w * x
            loss = (product ** 2).sum()
            product += 1  # <- here
            loss.backward()
            return w.grad
        """,
    "non_scalar_loss": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            ((w * x) ** 2).backward()  # <- here
            return w.grad
        """,
    "integer_dtype": """
        def slope(w, x):
            w = w.long().requires_grad_()  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "requires_grad_false: of autograd.grad": """
        import torch
        def slope(w, x):
            w = w.clone()
            v = x.clone().requires_grad_()
            return torch.autograd.grad(((w * v) ** 2).sum(), w)[0]  # <- here
        """,
    "off_the_path: of autograd.grad": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            copy = w[:]  # <- here
            return torch.autograd.grad(((w * x) ** 2).sum(), copy)[0]
        """,
    "unused: of autograd.grad": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()  # <- here
            v = x.clone().requires_grad_()
            return torch.autograd.grad((v ** 2).sum(), w)[0]
        """,
    "out_of_memory": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            table = torch.zeros(10**5, 10**5)  # <- here
            return w.grad
        """,
    "no_backward: None is used further": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum()
            return w.grad * 1  # <- here
        """,
    "exception": """
        def slope(w, x):
            return w @ x[:2]  # <- here
        """,
    "exception: in a function of its own": """
        def helper(w):
            return {}["nothing"]  # <- here
        def slope(w, x):
            return helper(w)
        """,
    "history_kept": """
        import torch
        def slope(w, x):
            w = torch.nn.Parameter(w)
            optimizer = torch.optim.SGD([w], lr=0.1)
            state = w * w * x
            for _ in range(2):
                loss = (state * w).sum()
                loss.backward(retain_graph=True)  # <- here
                optimizer.step()
            return w.grad
        """,
}


@pytest.mark.parametrize("name", RAISED)
def test_raised(grade: Grader, name: str) -> None:
    assert grade.told(RAISED[name]) == (name.partition(":")[0], None, grade.marked(RAISED[name]))


NO_GRAPH = {
    "detached": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = (w * x).detach()  # <- here
            (product ** 2).sum().backward()
            return w.grad
        """,
    "rewrapped": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = torch.tensor(((w * x) ** 2).sum())  # <- here
            loss.backward()
            return w.grad
        """,
    "left_torch": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = torch.tensor(((w * x) ** 2).sum().item())  # <- here
            loss.backward()
            return w.grad
        """,
    "grad_mode_off": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            with torch.no_grad():
                loss = ((w * x) ** 2).sum()  # <- here
            loss.backward()
            return w.grad
        """,
    "not_differentiable": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = (w * x).argmax().float()  # <- here
            loss.backward()
            return w.grad
        """,
    "requires_grad_false": """
        def slope(w, x):
            w = w.clone()  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "frozen": """
        import torch
        def slope(w, x):
            w = torch.nn.Parameter(w)
            w.requires_grad_(False)  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
}


@pytest.mark.parametrize("root", NO_GRAPH)
def test_a_loss_without_history_names_the_cut_behind_it(grade: Grader, root: str) -> None:
    assert grade.told(NO_GRAPH[root]) == ("loss_has_no_graph", root, grade.marked(NO_GRAPH[root]))


def test_a_flag_that_comes_too_late_is_the_cause_itself(grade: Grader) -> None:
    program = """
        def slope(w, x):
            w = w.clone()
            loss = ((w * x) ** 2).sum()
            w.requires_grad_()  # <- here
            loss.backward()
            return w.grad
        """
    assert grade.told(program) == ("flag_too_late", None, grade.marked(program))


VALUES = {
    "accumulated": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            for _ in range(2):
                ((w * x) ** 2).sum().backward()  # <- here
            return w.grad
        """,
    "grad_cleared": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            ((w * x) ** 2).sum().backward()
            w.grad.zero_()  # <- here
            return w.grad
        """,
    "wrong_value": """
        def slope(w, x):  # <- here
            return w + x
        """,
}


@pytest.mark.parametrize("cause", VALUES)
def test_values(grade: Grader, cause: str) -> None:
    assert grade.told(VALUES[cause]) == (cause, None, grade.marked(VALUES[cause]))


REMARKS = {
    "retain_graph=True was not needed; nothing goes through this graph again.": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum()
            loss.backward(retain_graph=True)
            return w.grad
        """,
    "an edit through .data hides from autograd's checks; `with torch.no_grad():` does the same in the open.": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum(); loss.backward()
            w.data.add_(1)
            return w.grad
        """,
}


@pytest.mark.parametrize("remark", REMARKS)
def test_an_accepted_oddity_is_remarked(grade: Grader, remark: str) -> None:
    verdict = grade(REMARKS[remark])
    assert verdict.passed
    assert verdict.checks[0].remarks == (f"line 5: {remark}",)


def test_a_graph_that_is_used_twice_may_be_retained(grade: Grader) -> None:
    program = """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum() / 2
            loss.backward(retain_graph=True)
            loss.backward()
            return w.grad
        """
    verdict = grade(program)
    assert (verdict.passed, verdict.checks[0].remarks) == (True, ())
