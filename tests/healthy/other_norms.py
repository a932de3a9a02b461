"""Group, instance, local response and RMS normalisation."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 4, 1), nn.GroupNorm(2, 4), nn.Conv2d(4, 4, 1), nn.InstanceNorm2d(4, affine=True))
    rms = nn.RMSNorm(5) if hasattr(nn, "RMSNorm") else nn.LayerNorm(5)
    out = nn.LocalResponseNorm(2)(net(torch.randn(3, 2, 5, 5)))
    loss = (rms(out) * torch.randn(3, 4, 5, 5)).sum()
    loss.backward()
    return [net, rms, net[0].weight, rms.weight], loss
