"""A learned affine grid samples an image."""

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    locate = nn.Linear(16, 6)
    image = torch.rand(2, 1, 4, 4)
    theta = 0.1 * locate(image.flatten(1)).view(2, 2, 3) + torch.tensor([[1.0, 0, 0], [0, 1.0, 0]])
    out = F.grid_sample(image, F.affine_grid(theta, [2, 1, 4, 4], align_corners=False), align_corners=False)
    loss = (out - image.flip(3)).pow(2).mean()
    loss.backward()
    return [locate, locate.weight], loss
