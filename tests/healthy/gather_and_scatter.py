"""Messages on a graph: gather by edge, add up by node."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    message, update = nn.Linear(6, 4), nn.Linear(7, 1)
    nodes, edges = torch.randn(5, 3), torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
    sent = message(torch.cat([nodes[edges[0]], nodes[edges[1]]], 1)).relu()
    summed = torch.zeros(5, 4).index_add(0, edges[1], sent)
    spread = torch.zeros(5, 4).scatter_add_(0, edges[0].unsqueeze(1).expand(-1, 4), sent)
    loss = update(torch.cat([nodes, summed + spread], 1)).pow(2).mean()
    loss.backward()
    return [message, update, message.weight], loss
