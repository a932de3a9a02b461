"""An optimizer that calls its closure many times."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=5)
    x, y = torch.randn(8, 2), torch.randn(8, 1)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        losses.append(loss)
        return loss

    optimizer.step(closure)
    return [net, net.weight], losses[-1], optimizer
