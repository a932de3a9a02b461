"""Bilinear layer, flatten and unflatten, cosine similarity."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    mix, head = nn.Bilinear(3, 4, 6), nn.Linear(6, 2)
    x = mix(torch.randn(5, 3), torch.randn(5, 4)).unflatten(1, (2, 3)).flatten(1)
    loss = 1 - nn.functional.cosine_similarity(head(x), torch.ones(5, 2)).mean()
    loss.backward()
    return [mix, head, mix.weight], loss
