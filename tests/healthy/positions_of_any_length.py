"""Rotary positions are computed from numbers in each forward pass."""

import torch
from torch import nn


def rotate(x):
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[1]).float()[:, None] / (10.0 ** (torch.arange(half) / half))
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


def run():
    torch.manual_seed(0)
    qk = nn.Linear(4, 8)
    q, k = qk(torch.randn(2, 5, 4)).chunk(2, -1)
    loss = (rotate(q) @ rotate(k).transpose(1, 2)).pow(2).mean()
    loss.backward()
    return [qk, qk.weight], loss
