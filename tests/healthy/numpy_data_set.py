"""Inputs come from NumPy arrays through an own Dataset."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self):
        self.x = np.random.default_rng(0).normal(size=(9, 3)).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), torch.tensor(float(self.x[i].sum()))


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for x, y in DataLoader(Points(), batch_size=3):
        loss = nn.functional.mse_loss(net(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [net, net.weight], loss, optimizer
