"""Evaluation in inference mode after the step."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(torch.randn(6, 3)), torch.randint(0, 2, (6,)))
        loss.backward()
        optimizer.step()
        with torch.inference_mode():
            right = (net(torch.randn(20, 3)).argmax(1) == 1).float().mean().item()
    assert 0 <= right <= 1
    return [net, net.weight], loss, optimizer
