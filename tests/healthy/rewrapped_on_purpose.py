"""A parameter is made from a computed start value."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    source = nn.Linear(3, 2)
    start = nn.Parameter(source(torch.randn(4, 3)).detach().clone())
    scale = nn.Parameter(torch.tensor(source.weight.std().item()))
    loss = (start * scale).pow(2).mean()
    loss.backward()
    return [start, scale], loss
