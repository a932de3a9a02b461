"""Advantage with a detached value; two heads on one trunk."""

import torch
from torch import nn
from torch.distributions import Categorical


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(4, 8)
        self.policy, self.value = nn.Linear(8, 3), nn.Linear(8, 1)

    def forward(self, x):
        h = torch.relu(self.trunk(x))
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


def run():
    torch.manual_seed(0)
    net = Both()
    choice, value = net(torch.randn(6, 4))
    action = choice.sample()
    returns = torch.randn(6)
    advantage = returns - value.detach()
    loss = (
        -(choice.log_prob(action) * advantage).mean()
        + 0.5 * (returns - value).pow(2).mean()
        - 0.01 * choice.entropy().mean()
    )
    loss.backward()
    return [net, net.trunk.weight, net.value.weight], loss
