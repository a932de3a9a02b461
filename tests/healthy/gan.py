"""Generator and discriminator in turn; the fake is detached where it must be."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    maker = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
    judge = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    maker_step = torch.optim.Adam(maker.parameters(), betas=(0.5, 0.999))
    judge_step = torch.optim.Adam(judge.parameters(), betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss()
    for real in torch.randn(3, 4, 3):
        fake = maker(torch.randn(4, 2))
        judge_step.zero_grad()
        judge_loss = criterion(judge(real), torch.ones(4, 1)) + criterion(judge(fake.detach()), torch.zeros(4, 1))
        judge_loss.backward()
        judge_step.step()
        maker_step.zero_grad()
        loss = criterion(judge(fake), torch.ones(4, 1))
        loss.backward()
        maker_step.step()
    return [maker, maker[0].weight], loss, maker_step
