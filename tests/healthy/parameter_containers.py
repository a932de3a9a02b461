"""ParameterList, ParameterDict, ModuleList and ModuleDict."""

import torch
from torch import nn


class Many(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3)) for _ in range(2)])
        self.shifts = nn.ParameterDict({"in": nn.Parameter(torch.zeros(3)), "out": nn.Parameter(torch.zeros(1))})
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 1)])
        self.acts = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})

    def forward(self, x):
        x = (x + self.shifts["in"]) * self.scales[0]
        x = self.acts["tanh"](self.layers[0](x)) * self.scales[1]
        return self.layers[1](x) + self.shifts["out"]


def run():
    torch.manual_seed(0)
    net = Many()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = (net(torch.randn(5, 3)) - 1).pow(2).mean()
    loss.backward()
    optimizer.step()
    return [net, net.scales[1], net.shifts["in"]], loss, optimizer
