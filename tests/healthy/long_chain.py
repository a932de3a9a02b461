"""A recurrence of two thousand steps."""

import torch


def run():
    w = torch.tensor(0.5, requires_grad=True)
    h = torch.tensor(0.1)
    for _ in range(2000):
        h = torch.sin(h) + w * 0.01
    loss = h * h
    loss.backward()
    return [w], loss
