"""Two backward passes on purpose, weights moved between them, gradients cleared."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(6, 3), torch.randn(6, 1)
    for _ in range(2):
        nn.functional.mse_loss(net(x), y).backward()
        with torch.no_grad():
            moves = [0.05 * p.grad / p.grad.norm() for p in net.parameters()]
            for p, move in zip(net.parameters(), moves):
                p.add_(move)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        with torch.no_grad():
            for p, move in zip(net.parameters(), moves):
                p.sub_(move)
        optimizer.step()
    return [net, net.weight], loss, optimizer
