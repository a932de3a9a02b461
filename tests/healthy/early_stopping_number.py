"""A branch depends on the value of the loss."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net, best = nn.Linear(3, 1), float("inf")
    for _ in range(3):
        net.zero_grad()
        loss = net(torch.randn(5, 3)).pow(2).mean()
        if loss < best:
            best = loss.item()
        loss.backward()
    return [net, net.weight], loss
