"""The in-place `y.add_(1)` makes `x.grad` None.

source: A
verdict: false
"""

import torch


def measure() -> tuple[str, str]:
    """The verdict of this run, and what came out."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    y.add_(1)
    z = y.mean()
    z.backward()
    return "true" if x.grad is None else "false", f"x.grad is {x.grad}"
