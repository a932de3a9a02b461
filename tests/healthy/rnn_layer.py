"""A plain recurrent layer; only the final hidden state is used."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    rnn, head = nn.RNN(2, 4, nonlinearity="tanh"), nn.Linear(4, 1)
    _, hidden = rnn(torch.randn(9, 3, 2))
    loss = (head(hidden[-1]) - 1).pow(2).mean()
    loss.backward()
    return [rnn, rnn.weight_ih_l0, head], loss
