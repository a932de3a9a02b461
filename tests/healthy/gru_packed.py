"""A bidirectional GRU on sequences of different lengths."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def run():
    torch.manual_seed(0)
    gru, head = nn.GRU(3, 5, bidirectional=True, batch_first=True), nn.Linear(10, 1)
    packed = pack_padded_sequence(torch.randn(3, 6, 3), torch.tensor([6, 4, 2]), batch_first=True)
    out, lengths = pad_packed_sequence(gru(packed)[0], batch_first=True)
    loss = sum(head(row[:n]).mean() ** 2 for row, n in zip(out, lengths.tolist()))
    loss.backward()
    return [gru, gru.weight_hh_l0, head.weight], loss
