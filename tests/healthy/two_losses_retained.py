"""Two backward passes that are meant to add up on one graph."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    trunk, left, right = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 2)
    optimizer = torch.optim.SGD([*trunk.parameters(), *left.parameters(), *right.parameters()], lr=0.1)
    h = trunk(torch.randn(5, 3)).tanh()
    first, second = left(h).pow(2).mean(), right(h).pow(2).mean()
    optimizer.zero_grad()
    first.backward(retain_graph=True)
    second.backward()
    optimizer.step()
    return [trunk, trunk.weight, left.weight], [first, second]
