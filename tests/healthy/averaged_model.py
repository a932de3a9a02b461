"""Stochastic weight averaging, batch statistics updated at the end."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    average = AveragedModel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (net(torch.randn(5, 3)) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
        average.update_parameters(net)
    update_bn([torch.randn(4, 3)], average)
    return [net, net[0].weight], loss, optimizer
