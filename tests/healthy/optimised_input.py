"""The input itself is what the optimizer moves."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).requires_grad_(False)
    image = (torch.rand(1, 4) * 0.1).requires_grad_()
    optimizer = torch.optim.Adam([image], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = -net(image).mean() + 0.01 * image.pow(2).sum()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            image.clamp_(0, 1)
    return [image], loss
