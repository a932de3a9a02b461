"""Evaluation under no_grad between the steps of training."""

import torch
from torch import nn


@torch.no_grad()
def evaluate(net):
    net.eval()
    loss = net(torch.randn(10, 3)).pow(2).mean().item()
    net.train()
    return loss


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.1), nn.Linear(4, 1))
    optimizer = torch.optim.Adam(net.parameters())
    history = []
    for _ in range(3):
        history.append(evaluate(net))
        optimizer.zero_grad()
        loss = (net(torch.randn(6, 3)) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
    history.append(evaluate(net))
    return [net, net[0].weight], loss, optimizer
