"""Every row against every other, with a learned temperature."""

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    image, text, log_scale = nn.Linear(6, 4), nn.Linear(5, 4), nn.Parameter(torch.tensor(1.0))
    a, b = F.normalize(image(torch.randn(8, 6)), dim=1), F.normalize(text(torch.randn(8, 5)), dim=1)
    scores = a @ b.T * log_scale.exp()
    label = torch.arange(8)
    loss = (F.cross_entropy(scores, label) + F.cross_entropy(scores.T, label)) / 2
    loss.backward()
    return [image, text, log_scale, image.weight], loss
