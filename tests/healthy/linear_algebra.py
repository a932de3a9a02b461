"""Solving, Cholesky, determinant and eigenvalues in the loss."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    a = nn.Parameter(torch.randn(3, 3))
    spd = a @ a.T + torch.eye(3)
    factor = torch.linalg.cholesky(spd)
    loss = (
        torch.linalg.solve(spd, torch.ones(3)).sum()
        + factor.diagonal().log().sum()
        + torch.linalg.eigvalsh(spd).sum()
        + torch.logdet(spd)
    )
    loss.backward()
    return [a], loss
