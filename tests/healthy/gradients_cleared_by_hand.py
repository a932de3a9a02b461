"""Gradients cleared by writing to them, each in another way, between backward and the next one."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for way in range(4):
        loss = net(torch.randn(4, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()
        for one in net.parameters():
            if way == 0:
                one.grad.data.fill_(0)
            elif way == 1:
                one.grad *= 0
            elif way == 2:
                one.grad = torch.zeros_like(one)
    return [net, net.weight], loss, optimizer
