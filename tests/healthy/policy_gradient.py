"""Actions are sampled without gradient; the log-probability carries it."""

import torch
from torch import nn
from torch.distributions import Categorical


def run():
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
    optimizer = torch.optim.Adam(policy.parameters())
    rewards, log_probabilities = [], []
    for _ in range(5):
        choice = Categorical(logits=policy(torch.randn(4)))
        action = choice.sample()
        rewards.append(float(action.item() == 1))
        log_probabilities.append(choice.log_prob(action))
    returns = torch.tensor(rewards)
    loss = -(torch.stack(log_probabilities) * (returns - returns.mean() + 0.5)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return [policy, policy[0].weight], loss, optimizer
