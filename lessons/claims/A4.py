"""With `requires_grad=False` on the only input, `z.backward()` runs, and then `x.grad` prints None.

source: A
verdict: false
"""

import torch


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=False)
    y = x * 2
    z = y.mean()
    try:
        z.backward()
    except RuntimeError as error:
        return "false", f"z.backward() raises: {error}"
    return ("true" if x.grad is None else "false"), f"z.backward() runs; x.grad is {x.grad}"
