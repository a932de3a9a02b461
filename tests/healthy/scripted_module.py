"""A scripted module in the path of the loss."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x * torch.sigmoid(self.w)


def run():
    torch.manual_seed(0)
    before, gate, after = nn.Linear(3, 3), torch.jit.script(Gate()), nn.Linear(3, 1)
    loss = after(gate(before(torch.randn(5, 3)))).pow(2).mean()
    loss.backward()
    return [before, after, before.weight, gate.w], loss
