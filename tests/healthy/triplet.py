"""Metric learning: one network, three inputs."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    anchor, near, far = (net(torch.randn(10, 4)) for _ in range(3))
    loss = nn.TripletMarginLoss(margin=5.0)(anchor, near, far)
    loss.backward()
    return [net, net[0].weight], loss
