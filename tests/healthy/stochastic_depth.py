"""Blocks are skipped at random; this seed uses them all."""

import random

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    random.seed(1)
    blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    x = torch.randn(5, 4)
    for block in blocks:
        if random.random() > 0.05:
            x = x + block(x).tanh()
    loss = x.pow(2).mean()
    loss.backward()
    return [blocks, blocks[0].weight], loss
