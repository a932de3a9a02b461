"""The same average, written through .data, as older code does."""

import copy

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    average = copy.deepcopy(net)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        loss = net(torch.randn(4, 2)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for slow, fast in zip(average.parameters(), net.parameters()):
            slow.data.mul_(0.9).add_(fast.data, alpha=0.1)
    return [net, net.weight], loss, optimizer
