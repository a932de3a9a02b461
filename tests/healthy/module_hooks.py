"""Forward and full backward hooks on modules."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net, seen = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), {}
    net[1].register_forward_hook(lambda m, i, o: seen.update(out=o.detach().mean().item()))
    net[1].register_full_backward_hook(lambda m, gi, go: seen.update(grad=go[0].norm().item()))
    net.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
    loss = net(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    assert set(seen) == {"out", "grad"}
    return [net, net[0].weight], loss
