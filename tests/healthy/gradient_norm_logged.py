"""The norm of the gradients is logged after each accumulated pass."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net, norms = nn.Linear(3, 1), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    optimizer.zero_grad()
    for _ in range(3):
        loss = net(torch.randn(2, 3)).pow(2).mean() / 3
        loss.backward()
        norms.append(sum(p.grad.norm().item() for p in net.parameters()))
    optimizer.step()
    return [net, net.weight], loss, optimizer
