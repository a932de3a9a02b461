"""State is saved, loaded into a new model, and training goes on."""

import io

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    old, file = nn.Linear(3, 1), io.BytesIO()
    torch.save(old.state_dict(), file)
    file.seek(0)
    net = nn.Linear(3, 1)
    net.load_state_dict(torch.load(file, weights_only=True))
    optimizer = torch.optim.Adam(net.parameters())
    loss = net(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
    return [net, net.weight], loss, optimizer
