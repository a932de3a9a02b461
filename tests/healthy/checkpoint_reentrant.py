"""A reentrant checkpoint whose input requires grad."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def run():
    torch.manual_seed(3)
    stem, block, head = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)), nn.Linear(4, 1)
    x = stem(torch.randn(5, 3))
    x = checkpoint(block, x, use_reentrant=True)
    loss = head(x).pow(2).mean()
    loss.backward()
    return [stem, block, head, block[0].weight, stem.weight], loss
