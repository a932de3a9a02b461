"""One optimizer, a learning rate per layer, no decay on biases."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    biases = [p for n, p in net.named_parameters() if n.endswith("bias")]
    rest = [p for n, p in net.named_parameters() if not n.endswith("bias")]
    optimizer = torch.optim.AdamW(
        [{"params": rest, "weight_decay": 0.1}, {"params": biases, "weight_decay": 0.0}], lr=0.01
    )
    loss = (net(torch.randn(5, 3)) - 2).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return [net, net[0].bias], loss, optimizer
