"""Gaussian likelihood with a learned scale, kept positive by softplus."""

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    net, raw = nn.Linear(3, 1), nn.Parameter(torch.tensor(0.0))
    likelihood = torch.distributions.Normal(net(torch.randn(6, 3)).squeeze(1), F.softplus(raw) + 1e-3)
    loss = -likelihood.log_prob(torch.randn(6)).mean()
    loss.backward()
    return [net, raw, net.weight], loss
