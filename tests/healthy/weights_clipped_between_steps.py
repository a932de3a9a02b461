"""A critic whose weights are clipped through .data after each step, and a maker that goes through it next."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    maker, critic = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    first, second = torch.optim.SGD(critic.parameters(), lr=0.1), torch.optim.SGD(maker.parameters(), lr=0.1)
    for _ in range(2):
        first.zero_grad()
        loss = critic(maker(torch.randn(4, 2)).detach()).mean() - critic(torch.randn(4, 3)).mean()
        loss.backward()
        first.step()
        for one in critic.parameters():
            one.data.clamp_(-0.5, 0.5)
    second.zero_grad()
    other = -critic(maker(torch.randn(4, 2))).mean()
    other.backward()
    second.step()
    return [maker, maker.weight], other, second
