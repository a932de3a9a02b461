"""Weights are set through detach and .data before training."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    net[0].weight.data.normal_(0, 0.5)
    net[0].bias.detach().fill_(0.1)
    nn.init.xavier_uniform_(net[2].weight)
    with torch.no_grad():
        net[2].bias[0] = 1.0
    loss = net(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    return [net, net[0].weight, net[0].bias], loss
