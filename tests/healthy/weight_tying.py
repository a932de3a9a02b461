"""Embedding and output layer share one parameter."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 10, bias=False)
        self.head.weight = self.table.weight

    def forward(self, tokens):
        return self.head(torch.tanh(self.body(self.table(tokens))))


def run():
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = nn.functional.cross_entropy(model(torch.tensor([1, 2, 3])), torch.tensor([2, 3, 4]))
    loss.backward()
    optimizer.step()
    return [model, model.head.weight, model.table.weight], loss, optimizer
