"""Predictions of shape (N, 1) against many quantiles of shape (Q,)."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 3)
    levels = torch.tensor([0.1, 0.5, 0.9])
    y = torch.randn(6, 1)
    error = y - net(torch.randn(6, 3))
    loss = torch.maximum(levels * error, (levels - 1) * error).mean()
    loss.backward()
    return [net, net.weight], loss
