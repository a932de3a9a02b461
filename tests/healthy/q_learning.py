"""A target network under no_grad, actions picked by gather."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    slow = copy.deepcopy(net)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(2):
        state, following, reward = torch.randn(5, 4), torch.randn(5, 4), torch.randn(5)
        with torch.no_grad():
            action = net(state).argmax(1, keepdim=True)
            goal = reward + 0.9 * slow(following).max(1).values
        loss = F.smooth_l1_loss(net(state).gather(1, action).squeeze(1), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slow.load_state_dict(net.state_dict())
    return [net, net[0].weight], loss, optimizer
