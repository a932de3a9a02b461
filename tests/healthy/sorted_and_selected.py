"""Sorting, top k, quantiles and cumulative sums."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 6)
    out = net(torch.randn(5, 3))
    ordered, order = out.sort(1)
    best, _ = out.topk(2, 1)
    loss = (
        ordered.cumsum(1).mean()
        + best.pow(2).mean()
        + out.quantile(0.5)
        + out.gather(1, order[:, :1]).mean()
        + out.max()
    )
    loss.backward()
    return [net, net.weight], loss
