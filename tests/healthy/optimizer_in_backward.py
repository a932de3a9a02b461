"""A hook after accumulation steps each parameter while backward runs; one is left to look at."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    steps = []
    for p in net.parameters():
        p.register_post_accumulate_grad_hook(lambda p: steps.append(tuple(p.shape)))
    loss = net(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    assert len(steps) == 4
    return [net, net[2].weight], loss
