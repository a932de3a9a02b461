"""Nearest code of a book, with the commitment loss and the copied gradient."""

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    encoder, book, decoder = nn.Linear(3, 2), nn.Embedding(6, 2), nn.Linear(2, 3)
    x = torch.randn(8, 3)
    z = encoder(x)
    codes = torch.cdist(z, book.weight).argmin(1)
    q = book(codes)
    quantised = z + (q - z).detach()
    loss = F.mse_loss(decoder(quantised), x) + F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
    loss.backward()
    return [encoder, book, decoder, encoder.weight, book.weight], loss
