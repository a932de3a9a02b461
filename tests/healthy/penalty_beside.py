"""A gradient without graph is only logged; the loss does not need it."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.randn(3, 2, requires_grad=True)
    out = net(x)
    (slope,) = torch.autograd.grad(out.sum(), x, retain_graph=True)
    weight = slope.norm(dim=1, keepdim=True)
    loss = (out * weight).pow(2).mean()
    loss.backward()
    return [net, net[0].weight], loss
