"""Batches come from a DataLoader over a TensorDataset."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(12, 3), torch.randint(0, 2, (12,)))
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in DataLoader(data, batch_size=4, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
    return [net, net.weight], loss, optimizer
