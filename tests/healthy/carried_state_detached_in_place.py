"""The state of a recurrent loop is cut with detach_() between two windows."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    cell = nn.RNNCell(1, 3)
    state = torch.zeros(1, 3)
    for window in range(3):
        cell.zero_grad()
        for step in range(4):
            state = cell(torch.full((1, 1), 0.1 * step), state)
        loss = state.pow(2).sum()
        loss.backward()
        if window < 2:
            state.detach_()
    return [cell, cell.weight_ih], loss
