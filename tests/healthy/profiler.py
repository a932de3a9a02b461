"""A step under the profiler."""

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    with profile(activities=[ProfilerActivity.CPU]):
        loss = net(torch.randn(5, 3)).pow(2).mean()
        loss.backward()
    return [net, net.weight], loss
