"""A step under anomaly detection."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    with torch.autograd.detect_anomaly(check_nan=True):
        loss = net(torch.randn(5, 3)).pow(2).mean()
        loss.backward()
    return [net, net[0].weight], loss
