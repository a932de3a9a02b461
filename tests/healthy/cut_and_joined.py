"""Tensors are split, rolled, flipped and joined again."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 8)
    a, b = net(torch.randn(5, 3)).split([3, 5], dim=1)
    c, d = b[:, :4].chunk(2, 1)
    whole = torch.cat([a.flip(1), c.roll(1, 0), d.repeat(1, 2), b[:, 4:].expand(-1, 2)], 1)
    loss = torch.stack([row.sum() for row in whole.unbind(0)]).var()
    loss.backward()
    return [net, net.weight], loss
