"""Spectral norm and orthogonal weights."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import orthogonal, spectral_norm


def run():
    torch.manual_seed(0)
    net = nn.Sequential(spectral_norm(nn.Linear(3, 4)), nn.Tanh(), orthogonal(nn.Linear(4, 4)), nn.Linear(4, 1))
    loss = (net(torch.randn(5, 3)) - 1).pow(2).mean()
    loss.backward()
    return [net, net[0].parametrizations.weight.original], loss
