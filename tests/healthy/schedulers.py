"""Warm-up and cosine decay, stepped after the optimizer."""

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR


def run():
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    schedule = SequentialLR(optimizer, [LinearLR(optimizer, total_iters=2), CosineAnnealingLR(optimizer, 5)], [2])
    for _ in range(4):
        optimizer.zero_grad()
        loss = net(torch.randn(4, 2)).pow(2).mean()
        loss.backward()
        optimizer.step()
        schedule.step()
    return [net, net.weight], loss, optimizer
