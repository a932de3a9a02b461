"""State loaded with assign=True before the optimizer is made."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    net.load_state_dict({"weight": torch.randn(1, 3), "bias": torch.zeros(1)}, assign=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
    return [net, net.weight], loss, optimizer
