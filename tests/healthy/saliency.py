"""The gradient of a score with respect to the input."""

import torch
from torch import nn


def run():
    torch.manual_seed(3)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3)).eval().requires_grad_(False)
    image = torch.rand(1, 1, 6, 6).requires_grad_()
    score = net(image)[0].max()
    score.backward()
    picture = image.grad.abs().squeeze().numpy()
    assert picture.shape == (6, 6)
    return [image], score
