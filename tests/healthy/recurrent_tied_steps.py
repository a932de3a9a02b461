"""The same weights in each step; a gradient is read at every time step."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    w, states = nn.Parameter(torch.randn(3, 3) * 0.3), []
    h = torch.ones(3)
    for _ in range(4):
        h = torch.tanh(w @ h)
        h.retain_grad()
        states.append(h)
    loss = h.pow(2).sum()
    loss.backward()
    return [w, *states], loss
