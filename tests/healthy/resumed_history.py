"""Losses are collected as tensors without history, and averaged for the log."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net, kept = nn.Linear(3, 1), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        loss = net(torch.randn(5, 3)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(loss.detach())
    mean = torch.stack(kept).mean().item()
    assert mean > 0
    return [net, net.weight], loss, optimizer
