"""Second derivatives of a loss that contains first ones."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.linspace(0, 1, 6).unsqueeze(1).requires_grad_()
    u = net(x)
    (first,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    loss = (second + u).pow(2).mean() + u[0].pow(2).sum()
    loss.backward()
    return [net, net[0].weight], loss
