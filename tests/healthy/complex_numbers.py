"""Complex parameters, a Fourier transform and a real loss."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    filters = nn.Parameter(torch.randn(2, 5, dtype=torch.cfloat))
    signal = nn.Parameter(torch.randn(2, 8))
    loss = (torch.fft.rfft(signal) * filters).abs().pow(2).mean() + torch.fft.irfft(
        torch.fft.rfft(signal) * filters
    ).sin().mean()
    loss.backward()
    return [filters, signal], loss
