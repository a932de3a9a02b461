"""Every kind of pooling, with the indices that unpooling needs."""

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    conv = nn.Conv2d(1, 2, 3, padding=1)
    x = conv(torch.randn(2, 1, 8, 8))
    pooled, where = F.max_pool2d(x, 2, return_indices=True)
    back = F.max_unpool2d(pooled, where, 2)
    parts = [
        back,
        F.avg_pool2d(x, 2),
        F.adaptive_avg_pool2d(x, 1),
        F.adaptive_max_pool2d(x, 2),
        F.lp_pool2d(x.abs() + 1, 2, 2),
    ]
    loss = sum(part.pow(2).mean() for part in parts)
    loss.backward()
    return [conv, conv.weight], loss
