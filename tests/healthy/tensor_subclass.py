"""An own subclass of Tensor travels through the forward pass."""

import torch
from torch import nn


class Named(torch.Tensor):
    pass


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    x = torch.randn(5, 3).as_subclass(Named)
    loss = net(x).pow(2).mean()
    loss.backward()
    return [net, net.weight], loss
