"""A penalty on the Jacobian, taken by torch.func, on a module's parameters."""

import torch
from torch import nn
from torch.func import jacrev


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 2))
    x = torch.randn(2)
    loss = jacrev(net)(x).pow(2).sum() + net(x).pow(2).sum()
    loss.backward()
    return [net, net[0].weight], loss
