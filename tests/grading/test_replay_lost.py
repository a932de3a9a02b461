"""A step that moved nothing, though no gradient was read as None: each program with its cause and its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Grader

# the line to name ends with `# <- here`; right is one step of 0.1 down the slope of sum((w x)^2)
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
    assert grade.told(LOST[cause], "step") == (cause, None, grade.marked(LOST[cause]))
