"""A module called with other parameters, which keep their history."""

import torch
from torch import nn
from torch.func import functional_call


def run():
    torch.manual_seed(0)
    maker, layer = nn.Linear(2, 6), nn.Linear(3, 2, bias=False)
    made = {"weight": maker(torch.randn(2)).view(2, 3)}
    loss = functional_call(layer, made, (torch.randn(4, 3),)).pow(2).mean()
    loss.backward()
    return [maker, maker.weight], loss
