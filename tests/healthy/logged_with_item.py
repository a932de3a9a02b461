"""The loss is logged as a number after each step."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net, total, lines = nn.Linear(3, 1), 0.0, []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        loss = net(torch.randn(5, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
        lines.append(f"step {step} loss {loss:.4f} mean {total / (step + 1):.4f} weight {float(net.weight[0, 0])}")
    return [net, net.weight], loss, optimizer
