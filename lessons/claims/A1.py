"""After `x = tensor([1., 2., 3.], requires_grad=True); y = x * 2; z = y.mean(); z.backward()`, `x.grad` is None.

source: A
verdict: false
"""

import torch


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    z = y.mean()
    z.backward()
    return ("true" if x.grad is None else "false"), f"x.grad is {x.grad}"
