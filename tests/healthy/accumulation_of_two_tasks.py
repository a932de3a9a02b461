"""Two tasks, one after the other, add to the same gradients before one step."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        first = net(torch.randn(4, 3))[:, 0].pow(2).mean()
        first.backward()
        second = nn.functional.cross_entropy(net(torch.randn(4, 3)), torch.tensor([0, 1, 1, 0]))
        second.backward()
        optimizer.step()
    return [net, net[0].weight], [first, second], optimizer
