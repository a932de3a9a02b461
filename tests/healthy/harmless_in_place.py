"""In-place operations that autograd allows."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 4)
    y = net(torch.randn(5, 3))
    y.add_(1).mul_(2)
    y[:, 0] = 0.5
    y[1] += 3
    total = torch.zeros(5, 4)
    total += y
    buffer = torch.empty(2, 5, 4)
    buffer[0] = total
    buffer[1].copy_(total * 2)
    loss = buffer.clamp_(-100, 100).pow(2).mean()
    loss.backward()
    return [net, net.weight], loss
