"""Several steps of a critic for each step of the generator, weights clipped through .data."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    maker, critic = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    slow, fast = torch.optim.RMSprop(maker.parameters()), torch.optim.RMSprop(critic.parameters())
    for _ in range(2):
        for _ in range(3):
            fast.zero_grad()
            gap = critic(maker(torch.randn(4, 2)).detach()).mean() - critic(torch.randn(4, 3)).mean()
            gap.backward()
            fast.step()
            for p in critic.parameters():
                p.data.clamp_(-0.1, 0.1)
        slow.zero_grad()
        loss = -critic(maker(torch.randn(4, 2))).mean()
        loss.backward()
        slow.step()
    return [maker, maker.weight], loss, slow
