"""A forward pass that returns a dataclass with nested containers."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Output:
    scores: torch.Tensor
    hidden: dict


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, batch):
        hidden = self.body(batch["x"]).tanh()
        return Output(self.head(hidden), {"layers": [hidden]})


def run():
    torch.manual_seed(0)
    net = Net()
    out = net({"x": torch.randn(5, 3)})
    loss = (
        nn.functional.cross_entropy(out.scores, torch.randint(0, 2, (5,))) + 0.1 * out.hidden["layers"][0].pow(2).mean()
    )
    loss.backward()
    return [net, net.body.weight], loss
