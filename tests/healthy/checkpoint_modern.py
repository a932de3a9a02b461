"""A checkpoint that is not reentrant, around a block without tracked input."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


def run():
    torch.manual_seed(0)
    block = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1), nn.ReLU())
    tail = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    x = checkpoint(block, torch.randn(5, 3), use_reentrant=False)
    loss = checkpoint_sequential(tail, 2, x, use_reentrant=False).pow(2).mean()
    loss.backward()
    return [block, tail, block[0].weight], loss
