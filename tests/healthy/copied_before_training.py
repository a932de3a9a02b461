"""Two copies of one model are trained; the original is only the pattern."""

import copy

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    pattern = nn.Linear(3, 1)
    crew = nn.ModuleList([copy.deepcopy(pattern) for _ in range(2)])
    optimizer = torch.optim.SGD(crew.parameters(), lr=0.1)
    x = torch.randn(5, 3)
    loss = sum((member(x) - k).pow(2).mean() for k, member in enumerate(crew))
    loss.backward()
    optimizer.step()
    return [crew, crew[0].weight], loss, optimizer
