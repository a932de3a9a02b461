"""The discriminator is switched off while the generator learns, and on again."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    maker, judge = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    for _ in range(2):
        judge.requires_grad_(True)
        judge.zero_grad()
        (judge(torch.randn(4, 3)).mean() - judge(maker(torch.randn(4, 2)).detach()).mean()).backward()
        judge.requires_grad_(False)
        maker.zero_grad()
        loss = -judge(maker(torch.randn(4, 2))).mean()
        loss.backward()
    judge.requires_grad_(True)
    return [maker, maker.weight], loss
