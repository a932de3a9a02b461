"""A tensor has `requires_grad=True` unless you say otherwise.

source: A
verdict: false
"""

import torch


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    made = {
        "torch.tensor([1.0])": torch.tensor([1.0]),
        "torch.ones(1)": torch.ones(1),
        "torch.randn(1)": torch.randn(1),
    }
    flags = {name: tensor.requires_grad for name, tensor in made.items()}
    parameter = torch.nn.Parameter(torch.ones(1)).requires_grad
    verdict = "true" if all(flags.values()) else "half" if any(flags.values()) else "false"
    told = ", ".join(f"{name} {flag}" for name, flag in flags.items())
    return verdict, f"requires_grad: {told}; nn.Parameter(torch.ones(1)) {parameter}"
