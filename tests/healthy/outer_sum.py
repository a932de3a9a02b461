"""A loss over all pairs broadcasts on purpose."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1, bias=False)
    scores = net(torch.randn(6, 3))
    better = torch.rand(6) > 0.5
    difference = scores - scores.squeeze(1)
    pairs = better.unsqueeze(1) & ~better
    loss = torch.nn.functional.softplus(-difference)[pairs].mean() + torch.cdist(scores, scores).mean()
    loss.backward()
    return [net, net.weight], loss
