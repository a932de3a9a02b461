"""Clipping by norm and by value between backward and step."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.RMSprop(net.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        loss = (100 * net(torch.randn(5, 3))).pow(2).mean()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        nn.utils.clip_grad_value_(net.parameters(), 0.1)
        optimizer.step()
        assert norm.item() > 0
    return [net, net[0].weight], loss, optimizer
