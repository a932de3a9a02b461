"""An embedding with sparse gradients and the optimizer made for them."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    table = nn.Embedding(30, 4, sparse=True)
    optimizer = torch.optim.SparseAdam(list(table.parameters()))
    for _ in range(2):
        optimizer.zero_grad()
        loss = (table(torch.tensor([1, 5, 5])) - 1).pow(2).sum()
        loss.backward()
        optimizer.step()
    return [table.weight, table], loss, optimizer
