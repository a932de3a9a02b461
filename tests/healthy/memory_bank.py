"""A queue of old keys takes part in the loss without gradient."""

import copy

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    query, key = nn.Linear(4, 3), nn.Linear(4, 3)
    key.load_state_dict(copy.deepcopy(query.state_dict()))
    key.requires_grad_(False)
    bank = nn.functional.normalize(torch.randn(6, 3), dim=1)
    for _ in range(3):
        x = torch.randn(2, 4)
        q = nn.functional.normalize(query(x), dim=1)
        with torch.no_grad():
            for slow, fast in zip(key.parameters(), query.parameters()):
                slow.copy_(0.9 * slow + 0.1 * fast)
            k = nn.functional.normalize(key(x), dim=1)
        scores = torch.cat([(q * k).sum(1, keepdim=True), q @ bank.T], 1)
        loss = nn.functional.cross_entropy(scores, torch.zeros(2, dtype=torch.long))
        query.zero_grad()
        loss.backward()
        bank = torch.cat([k, bank])[:6]
    return [query, query.weight], loss
