"""An exponential moving average of the weights beside the training."""

import copy

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    average = copy.deepcopy(net).requires_grad_(False)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        loss = net(torch.randn(4, 2)).pow(2).mean()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), net.parameters()):
                slow.mul_(0.9).add_(fast, alpha=0.1)
    return [net, net.weight], loss, optimizer
