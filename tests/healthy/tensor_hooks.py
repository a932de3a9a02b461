"""Hooks on tensors look at gradients, and one scales them."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net, seen = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)), []
    hidden = net[0](torch.randn(5, 3))
    hidden.register_hook(lambda g: seen.append(g.norm().item()))
    net[0].weight.register_hook(lambda g: g * 0.5)
    loss = net[2](net[1](hidden)).pow(2).mean()
    loss.backward()
    assert len(seen) == 1
    return [net, net[0].weight], loss
