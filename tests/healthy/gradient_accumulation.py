"""Four small batches, one step."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        for _micro in range(4):
            loss = nn.functional.mse_loss(net(torch.randn(2, 3)), torch.randn(2, 1)) / 4
            loss.backward()
        optimizer.step()
    return [net, net.weight], loss, optimizer
