"""`torch.autograd.grad(z, x)` returns the gradient, as a tuple.

source: A
verdict: true
"""

import torch


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    z = y.mean()
    grad_x = torch.autograd.grad(z, x)

    printed = str(grad_x)
    return (
        "true" if printed == "(tensor([0.6667, 0.6667, 0.6667]),)" else "false",
        f"print(grad_x): {printed}; x.grad: {x.grad}",
    )
