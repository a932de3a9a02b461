"""Low-rank adapters beside frozen weights, after some steps."""

import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.down.T @ self.up.T


def run():
    torch.manual_seed(0)
    net = nn.Sequential(Adapted(nn.Linear(4, 4)), nn.ReLU(), Adapted(nn.Linear(4, 1)))
    optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
    return [net, net[0].down, net[0].up], loss, optimizer
