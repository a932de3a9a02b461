"""Plain tensors as attributes of a model that are constants, not parameters."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.std = torch.zeros(3), torch.ones(3)
        self.history, self.layers = [], nn.ModuleList([nn.Linear(3, 3)])
        self.last = None

    def forward(self, x):
        x = self.layers[0]((x - self.mean) / self.std)
        self.last = x
        self.history.append(x.detach().mean())
        return x.sum(1)


def run():
    torch.manual_seed(0)
    net = Scaled()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = net(torch.randn(4, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()
    return [net, net.layers[0].weight], loss, optimizer
