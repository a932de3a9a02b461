"""A gradient that is None, or never arrived: small programs, each with the cause and the line that it must be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Grader

# each program ends its line to name with `# <- here`; `w` comes in plain, `x` too; right is the gradient of sum((w x)^2)
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
    check(grade, NONE[name], name.partition(":")[0], "slope")


LOST = {
    "no_backward": """
        def step(w, x):  # <- here
            return {"w": w.clone()}
        """,
    "detached": """
        import torch
        def step(w, x):
            w = torch.nn.Parameter(w)
            v = torch.nn.Parameter(x)
            optimizer = torch.optim.SGD([w], lr=0.1)
            loss = ((w.detach() * v) ** 2).sum()  # <- here
            loss.backward()
            optimizer.step()
            return {"w": w}
        """,
    "rewrapped": """
        import torch
        def step(w, x):
            w = torch.nn.Parameter(w)
            optimizer = torch.optim.SGD([w], lr=0.1)
            product = torch.nn.Parameter(w * x)  # <- here
            (product ** 2).sum().backward()
            optimizer.step()
            return {"w": w}
        """,
    "functional_grad": """
        import torch
        def step(w, x):
            w = torch.nn.Parameter(w)
            optimizer = torch.optim.SGD([w], lr=0.1)
            torch.autograd.grad(((w * x) ** 2).sum(), w)  # <- here
            optimizer.step()
            return {"w": w}
        """,
    "grad_cleared": """
        import torch
        def step(w, x):
            w = torch.nn.Parameter(w)
            optimizer = torch.optim.SGD([w], lr=0.1)
            ((w * x) ** 2).sum().backward()
            optimizer.zero_grad()  # <- here
            optimizer.step()
            return {"w": w}
        """,
    "frozen": """
        import torch
        def step(w, x):
            layer = torch.nn.Linear(3, 1, bias=False)
            layer.weight.data = w[None]
            layer.requires_grad_(False)  # <- here
            x = x.clone().requires_grad_()
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
            ((layer.weight[0] * x) ** 2).sum().backward()
            optimizer.step()
            return {"w": layer.weight[0]}
        """,
    "requires_grad_false": """
        import torch
        def step(w, x):
            w = w.clone()  # <- here
            v = torch.nn.Parameter(x)
            optimizer = torch.optim.SGD([w, v], lr=0.1)
            ((w * v) ** 2).sum().backward()
            optimizer.step()
            return {"w": w}
        """,
    "accumulated": """
        import torch
        def step(w, x):
            w = torch.nn.Parameter(w)
            ((w * x) ** 2).sum().backward()
            ((w * x) ** 2).sum().backward()  # <- here
            with torch.no_grad():
                return {"w": w - 0.1 * w.grad}
        """,
}


@pytest.mark.parametrize("cause", LOST)
def test_lost(grade: Grader, cause: str) -> None:
    check(grade, LOST[cause], cause, "step")


def check(grade: Grader, program: str, cause: str, exercise: str) -> None:
    verdict = grade(program, exercise)
    here = next(n for n, line in enumerate(program.splitlines(), 1) if line.endswith("# <- here"))
    assert verdict.location is not None
    assert (verdict.cause, verdict.location.line) == (cause, here), verdict.checks[0].message
