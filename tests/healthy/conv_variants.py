"""One-dimensional, depthwise, three-dimensional and transposed convolutions."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    layers = nn.ModuleList(
        [nn.Conv1d(2, 4, 3), nn.Conv2d(4, 4, 3, groups=4), nn.Conv3d(1, 2, 2), nn.ConvTranspose2d(2, 3, 2, stride=2)]
    )
    inputs = [torch.randn(2, 2, 8), torch.randn(2, 4, 6, 6), torch.randn(2, 1, 4, 4, 4), torch.randn(2, 2, 4, 4)]
    loss = sum(layer(x).pow(2).mean() for layer, x in zip(layers, inputs))
    loss.backward()
    return [layers, *[layer.weight for layer in layers]], loss
