"""Layers that learn their input width at the first call."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.LazyConv1d(4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(1))
    net(torch.randn(2, 3, 8))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.randn(2, 3, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()
    return [net, net[0].weight], loss, optimizer
