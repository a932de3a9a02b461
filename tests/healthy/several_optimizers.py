"""Two optimizers share the parameters of one model."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    body, head = nn.Linear(3, 4), nn.Linear(4, 1)
    slow, fast = torch.optim.SGD(body.parameters(), lr=0.01), torch.optim.Adam(head.parameters(), lr=0.1)
    for _ in range(2):
        slow.zero_grad()
        fast.zero_grad()
        loss = head(body(torch.randn(5, 3)).relu()).pow(2).mean()
        loss.backward()
        slow.step()
        fast.step()
    return [body, head, body.weight], loss
