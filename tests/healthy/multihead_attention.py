"""Self-attention with a mask, weights asked for and logged."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(2, 5, 8)
    out, weights = attention(x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(5))
    log = weights.detach().max().item()
    loss = (out - x).pow(2).mean()
    loss.backward()
    assert log <= 1.0
    return [attention, attention.in_proj_weight, attention.out_proj.weight], loss
