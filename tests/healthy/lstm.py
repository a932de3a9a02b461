"""A two-layer LSTM read out at the last step."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8, num_layers=2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out[:, -1])


def run():
    torch.manual_seed(0)
    net = Tagger()
    loss = nn.functional.cross_entropy(net(torch.randn(5, 7, 4)), torch.randint(0, 3, (5,)))
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    return [net, net.lstm.weight_ih_l0, net.head.weight], loss
