"""One training step of a denoising model."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 2))
    alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 100), 0)
    x, t = torch.randn(8, 2), torch.randint(0, 100, (8,))
    noise = torch.randn_like(x)
    a = alphas[t].unsqueeze(1)
    noisy = a.sqrt() * x + (1 - a).sqrt() * noise
    loss = nn.functional.mse_loss(net(torch.cat([noisy, t.unsqueeze(1) / 100], 1)), noise)
    loss.backward()
    return [net, net[0].weight], loss
