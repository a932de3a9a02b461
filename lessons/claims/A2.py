"""`x.grad` is None there because `y.backward()` was not called, only `z.backward()`.

source: A
verdict: false
"""

import torch


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    try:
        y.backward()
        outcome = f"y.backward() gives x.grad {x.grad}"
        helped = x.grad is not None
    except RuntimeError as error:
        outcome = f"y.backward() raises: {error}"
        helped = False
    z = (x * 2).mean()
    x.grad = None
    z.backward()
    needed = x.grad is None
    verdict = "true" if helped and needed else "half" if helped or needed else "false"
    return verdict, f"{outcome}; z.backward() alone gives x.grad {x.grad}"
