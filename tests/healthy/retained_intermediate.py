"""retain_grad before backward on an intermediate result."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    hidden = net[:2](torch.randn(5, 3))
    hidden.retain_grad()
    loss = (net[2](hidden) - 1).pow(2).mean()
    loss.backward()
    return [hidden, net, net[0].weight], loss
