"""Autograd stores `.grad` for leaves only; an intermediate tensor needs `retain_grad()`.

source: Q
verdict: true
"""

import warnings

import torch
from torch import Tensor


def gradients(*, retain: bool) -> tuple[Tensor | None, Tensor | None, int]:
    """The gradients of the leaf and of the intermediate tensor, and how many warnings the look at them gave."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    if retain:
        y.retain_grad()
    y.sum().backward()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        return x.grad, y.grad, len(seen)


def measure() -> tuple[str, str]:
    """Returns the verdict that this run shows, and what came out."""
    of_leaf, of_result, warned = gradients(retain=False)
    _, retained, _ = gradients(retain=True)
    only_leaves = of_leaf is not None and of_result is None
    verdict = "true" if only_leaves and retained is not None else "half" if only_leaves else "false"
    return verdict, (
        f"leaf: {_shown(of_leaf)}; intermediate: {_shown(of_result)}, {warned} warning; "
        f"after retain_grad(): {_shown(retained)}"
    )


def _shown(grad: Tensor | None) -> str:
    return "None" if grad is None else str(grad.tolist())
