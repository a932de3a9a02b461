"""A model converted to double precision before its optimizer is made."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Softsign(), nn.Linear(4, 1)).double().to("cpu")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.randn(5, 3).double()).pow(2).mean().float()
    loss.backward()
    optimizer.step()
    return [net, net[0].weight], loss, optimizer
