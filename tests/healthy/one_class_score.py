"""Only one class of one row is asked for: the other rows of the head get zeros, rightly."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
    x = torch.randn(2, 4).requires_grad_()
    score = net(x)[0, 2]
    score.backward()
    return [net, x, net[2].weight], score
