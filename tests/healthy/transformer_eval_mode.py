"""An encoder in evaluation mode still passes gradients to its parameters."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    loss = (layer(torch.randn(2, 3, 4)) * torch.randn(2, 3, 4)).sum()
    loss.backward()
    return [layer, layer.linear1.weight], loss
