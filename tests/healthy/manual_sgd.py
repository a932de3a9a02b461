"""Weights are updated by hand under no_grad."""

import torch


def run():
    torch.manual_seed(0)
    w, b = torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(4):
        loss = (torch.randn(5, 3) @ w + b - 1).pow(2).mean()
        w.grad = b.grad = None
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b.sub_(b.grad, alpha=0.1)
    return [w, b], loss
