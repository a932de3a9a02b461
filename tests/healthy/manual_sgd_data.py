"""The same by hand through .data, and gradients set to zero in place."""

import torch


def run():
    torch.manual_seed(0)
    w = torch.randn(3, 1, requires_grad=True)
    for step in range(4):
        loss = (torch.randn(5, 3) @ w - 1).pow(2).mean()
        if step:
            w.grad.zero_()
        loss.backward()
        w.data -= 0.1 * w.grad.data
    return [w], loss
