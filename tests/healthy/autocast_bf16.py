"""Mixed precision on the CPU."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(torch.randn(6, 4))
            loss = nn.functional.mse_loss(out, torch.randn(6, 1).to(out.dtype))
        loss.backward()
        optimizer.step()
    return [net, net[0].weight], loss, optimizer
