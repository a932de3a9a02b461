"""Accumulated over a counter, stepped when it is full, loss logged each time."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net, log = nn.Linear(3, 1), []
    optimizer = torch.optim.AdamW(net.parameters())
    for step in range(1, 5):
        loss = net(torch.randn(2, 3)).pow(2).mean() / 2
        loss.backward()
        log.append(loss.item())
        if step % 2 == 0:
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            if step < 4:
                optimizer.zero_grad()
    return [net, net.weight], loss, optimizer
