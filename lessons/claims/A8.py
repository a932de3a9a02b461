"""With `autograd.grad` the trouble with `None` is avoided.

source: A
verdict: half
"""

import torch


def ask(z, tensor, **how):
    """What `autograd.grad` gives for one tensor, in a few words."""
    try:
        return str(torch.autograd.grad(z, tensor, retain_graph=True, **how)[0])
    except RuntimeError as error:
        return f"RuntimeError ({str(error).split('. ')[0]})"


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    z = y.mean()
    copy = y.clone()  # made from y, and z does not depend on it

    on_path, off_path, allowed = ask(z, y), ask(z, copy), ask(z, copy, allow_unused=True)
    helps = on_path == "tensor([0.3333, 0.3333, 0.3333])"
    everywhere = off_path.startswith("tensor") and allowed != "None"
    return (
        "true" if helps and everywhere else "half" if helps else "false",
        f"on the path, non-leaf y: {on_path}; off the path: {off_path}; with allow_unused: {allowed}",
    )
