"""A GRU cell and a recurrent cell, the second fed by the first."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    first, second = nn.GRUCell(2, 4), nn.RNNCell(4, 3)
    a, b = torch.zeros(1, 4), torch.zeros(1, 3)
    loss = 0.0
    for step in range(6):
        a = first(torch.full((1, 2), 0.1 * step), a)
        b = second(a, b)
        loss = loss + (b - 0.1).pow(2).sum()
    loss.backward()
    return [first, second, first.weight_ih], loss
