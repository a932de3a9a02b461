"""The penalty of a Wasserstein critic, with create_graph."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 1))
    real, fake = torch.randn(4, 3), torch.randn(4, 3)
    share = torch.rand(4, 1)
    mixed = (share * real + (1 - share) * fake).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = (slope.norm(dim=1) - 1).pow(2).mean()
    loss = critic(fake).mean() - 0.5 * critic(real).mean() + 10 * penalty
    loss.backward()
    return [critic, critic[0].weight], loss
