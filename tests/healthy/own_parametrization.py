"""A symmetric weight by an own parametrization."""

import torch
from torch import nn
from torch.nn.utils import parametrize


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).transpose(-1, -2)


def run():
    torch.manual_seed(0)
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    with parametrize.cached():
        loss = layer(layer(torch.randn(4, 3))).pow(2).mean()
    loss.backward()
    return [layer, layer.parametrizations.weight.original], loss
