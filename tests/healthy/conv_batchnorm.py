"""Convolutions with batch normalisation; in-place ReLU behind it."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.act = nn.ReLU(inplace=True)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.act(self.norm(self.conv(x))).mean((2, 3)))


def run():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for _ in range(2):
        optimizer.zero_grad(set_to_none=False)
        loss = nn.functional.cross_entropy(net(torch.randn(4, 3, 6, 6)), torch.tensor([0, 1, 1, 0]))
        loss.backward()
        optimizer.step()
    return [net, net.conv.weight, net.norm.weight], loss, optimizer
