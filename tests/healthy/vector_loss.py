"""Backward from a vector with its weights given."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    losses = net(torch.randn(5, 3)).squeeze(1).pow(2)
    losses.backward(gradient=torch.full((5,), 0.2))
    return [net, net.weight], losses
