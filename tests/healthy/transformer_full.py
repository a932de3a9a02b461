"""Encoder and decoder together."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    model = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    out = model(torch.randn(2, 5, 8), torch.randn(2, 4, 8))
    loss = (out - torch.randn(2, 4, 8)).pow(2).mean()
    loss.backward()
    return [model, model.decoder.layers[0].multihead_attn.in_proj_weight], loss
