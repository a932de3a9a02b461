"""A frozen block between two that learn passes the gradient on."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 4).requires_grad_(False), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
    loss = net(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
    return [net, net[0].weight], loss, optimizer
