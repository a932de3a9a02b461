"""Weights are clamped after each step."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (net(torch.randn(5, 3)) - 3).pow(2).mean()
        loss.backward()
        optimizer.step()
        for p in net.parameters():
            p.data.clamp_(-0.5, 0.5)
    return [net, net.weight], loss, optimizer
