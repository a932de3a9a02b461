"""Features are computed once, without gradient, before the loop."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    backbone, head = nn.Linear(3, 8).requires_grad_(False), nn.Linear(8, 1)
    features = backbone(torch.randn(10, 3)).relu()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (head(features) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
    return [head, head.weight], loss, optimizer
