"""Queries of one width look at keys and values of others."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, kdim=6, vdim=4)
    query = nn.Parameter(torch.randn(3, 1, 8))
    out, _ = attention(query, torch.randn(5, 1, 6), torch.randn(5, 1, 4), need_weights=False)
    loss = out.pow(2).sum()
    loss.backward()
    return [attention, query, attention.q_proj_weight], loss
