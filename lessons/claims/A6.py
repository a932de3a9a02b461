"""Writing `y = y.add(1)` instead of `y.add_(1)` cures the None.

source: A
verdict: false
"""

import torch
from torch import Tensor


def gradient(*, in_place: bool) -> Tensor | None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    if in_place:
        y.add_(1)
    else:
        y = y.add(1)
    z = y.mean()
    z.backward()
    return x.grad


def measure() -> tuple[str, str]:
    """The verdict of this run, and what came out."""
    before, after = gradient(in_place=True), gradient(in_place=False)
    cured = before is None and after is not None
    return "true" if cured else "false", f"x.grad is {before} with add_, and {after} with add"
