"""Many activation functions in a row, parametric ones among them."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    kinds = [
        nn.ReLU(),
        nn.LeakyReLU(),
        nn.PReLU(),
        nn.ELU(),
        nn.SELU(),
        nn.Mish(),
        nn.Hardswish(),
        nn.Softplus(),
        nn.Tanh(),
        nn.GLU(),
    ]
    net = nn.Sequential(*[step for kind in kinds for step in (nn.Linear(8, 8), kind)], nn.Linear(4, 1))
    loss = (net(torch.randn(16, 8)) - 1).pow(2).mean()
    loss.backward()
    return [net, net[0].weight, net[4].weight], loss
