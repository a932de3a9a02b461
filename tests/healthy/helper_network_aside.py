"""A model that holds its frozen teacher in a tuple, on purpose outside its parameters."""

import torch
from torch import nn


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.teacher = (nn.Linear(3, 2).requires_grad_(False),)
        self.body = nn.Linear(3, 2)

    def forward(self, x):
        return (self.body(x) - self.teacher[0](x)).pow(2).mean()


def run():
    torch.manual_seed(0)
    net = Student()
    loss = net(torch.randn(4, 3))
    loss.backward()
    return [net, net.body.weight], loss
