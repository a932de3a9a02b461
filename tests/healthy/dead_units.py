"""Some ReLU units are dead and some values clamped: single zeros are normal."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
    with torch.no_grad():
        net[0].bias[:4] = -100.0
    loss = net(torch.randn(8, 3).clamp(-1, 1)).clamp(-2, 2).pow(2).mean()
    loss.backward()
    return [net, net[0].weight, net[0].bias], loss
