"""One backward from two losses."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    out = net(torch.randn(5, 3))
    losses = [out[:, 0].pow(2).mean(), out[:, 1].abs().mean()]
    torch.autograd.backward(losses)
    return [net, net.weight], losses
