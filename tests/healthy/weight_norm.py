"""Weight normalisation by parametrization."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


def run():
    torch.manual_seed(0)
    net = nn.Sequential(weight_norm(nn.Linear(3, 4)), nn.ReLU(), weight_norm(nn.Linear(4, 1)))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = (net(torch.randn(5, 3)) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return [net, net[0].parametrizations.weight.original0, net[2].bias], loss, optimizer
