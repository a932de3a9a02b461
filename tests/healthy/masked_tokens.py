"""Padding is left out of the loss by a boolean mask."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    bias, net = nn.Parameter(torch.zeros(2, 5)), nn.Linear(3, 1)
    out = net(torch.randn(2, 5, 3)).squeeze(-1) + bias
    keep = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()
    loss = (out - 1)[keep].pow(2).mean()
    loss.backward()
    return [bias, net], loss
