"""A gradient that is None: small programs, each with the cause and the line that it must be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Grader

# the line to name ends with `# <- here`; `w` and `x` come in plain; right is the gradient of sum((w x)^2)
NONE = {
    "no_backward: read before": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum()
            grad = w.grad  # <- here
            loss.backward()
            return grad
        """,
    "no_backward: never called": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum()
            return w.grad  # <- here
        """,
    "not_a_leaf: an intermediate result": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = w * x  # <- here
            (product ** 2).sum().backward()
            return product.grad
        """,
    "not_a_leaf: an index": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            ((w * x) ** 2).sum().backward()
            return w[0:].grad  # <- here
        """,
    "shadowed_leaf: scaled": """
        def slope(w, x):
            w = w.clone().requires_grad_() * 1.0  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "shadowed_leaf: rebound by view": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            w = w.view(-1)  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "shadowed_leaf: to": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            w = w.to(torch.float64)  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "retained_late": """
        def slope(w, x):
            product = w.clone().requires_grad_() * x
            (product ** 2).sum().backward()
            product.retain_grad()  # <- here
            return product.grad
        """,
    "off_the_path: a stack beside": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            parts = [part * 1 for part in w]
            whole = torch.stack(parts)  # <- here
            whole.retain_grad()
            sum((part * y) ** 2 for part, y in zip(parts, x)).backward()
            return whole.grad
        """,
    "off_the_path: asked by autograd.grad": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            copy = w.clone()  # <- here
            loss = ((w * x) ** 2).sum()
            return torch.autograd.grad(loss, copy)[0]
        """,
    "unused": """
        def slope(w, x):
            w = w.clone().requires_grad_()  # <- here
            v = x.clone().requires_grad_()
            ((v * x) ** 2).sum().backward()
            return w.grad
        """,
    "unused: asked by autograd.grad": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()  # <- here
            v = x.clone().requires_grad_()
            loss = ((v * x) ** 2).sum()
            return torch.autograd.grad(loss, w, allow_unused=True)[0]
        """,
    "detached": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = (w * x).detach()  # <- here
            (product.requires_grad_() ** 2).sum().backward()
            return w.grad
        """,
    "detached: data": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            v = x.clone().requires_grad_()
            ((w.data * v) ** 2).sum().backward()  # <- here
            return w.grad
        """,
    "rewrapped: torch.tensor": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = torch.tensor([part for part in w * x], requires_grad=True)  # <- here
            (product ** 2).sum().backward()
            return w.grad
        """,
    "left_torch": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            numbers = (w * x).tolist()
            product = torch.tensor(numbers, requires_grad=True)  # <- here
            (product ** 2).sum().backward()
            return w.grad
        """,
    "left_torch: numpy": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = torch.from_numpy((w * x).detach().numpy()).requires_grad_()  # <- here
            (product ** 2).sum().backward()
            return w.grad
        """,
    "grad_mode_off": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            v = x.clone().requires_grad_()
            with torch.no_grad():
                scaled = w * 1  # <- here
            ((scaled * v) ** 2).sum().backward()
            return w.grad
        """,
    "not_differentiable": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            v = x.clone().requires_grad_()
            chosen = (w > 0)  # <- here
            ((chosen * v) ** 2).sum().backward()
            return w.grad
        """,
    "requires_grad_false: beside a tracked leaf": """
        def slope(w, x):
            x = x.clone().requires_grad_()
            w = w.clone()  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "requires_grad_false: given": """
        def slope(w, x):
            x = x.clone().requires_grad_()
            ((w * x) ** 2).sum().backward()
            return w.grad  # <- here
        """,
    "frozen": """
        import torch
        def slope(w, x):
            w = torch.nn.Parameter(w)
            x = torch.nn.Parameter(x)
            w.requires_grad_(False)  # <- here
            ((w * x) ** 2).sum().backward()
            return w.grad
        """,
    "flag_too_late": """
        def slope(w, x):
            w = w.clone()
            v = x.clone().requires_grad_()
            product = w * v
            w.requires_grad_()  # <- here
            (product ** 2).sum().backward()
            return w.grad
        """,
    "grad_cleared: None": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            ((w * x) ** 2).sum().backward()
            w.grad = None  # <- here
            return w.grad
        """,
    "functional_grad": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = ((w * x) ** 2).sum()
            torch.autograd.grad(loss, w)  # <- here
            return w.grad
        """,
    "functional_grad: backward for others only": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            x = x.clone().requires_grad_()
            ((w * x) ** 2).sum().backward(inputs=[x])  # <- here
            return w.grad
        """,
    "modified_after_use": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = w * x
            product.retain_grad()
            loss = (product * x).sum()
            product.mul_(2)  # <- here
            loss.backward()
            return product.grad
        """,
    "loss_patched": """
        def slope(w, x):
            w = w.clone()
            loss = ((w * x) ** 2).sum()
            loss.requires_grad_()  # <- here
            loss.backward()
            return w.grad
        """,
}


@pytest.mark.parametrize("name", NONE)
def test_none(grade: Grader, name: str) -> None:
    assert grade.told(NONE[name]) == (name.partition(":")[0], None, grade.marked(NONE[name]))
