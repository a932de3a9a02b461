"""A frozen backbone under no_grad and a head that learns."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU()).requires_grad_(False).eval()
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        with torch.no_grad():
            features = self.backbone(x)
        return self.head(features)


def run():
    torch.manual_seed(0)
    net = Classifier()
    optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad])
    loss = nn.functional.cross_entropy(net(torch.randn(6, 4)), torch.randint(0, 2, (6,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return [net, net.head.weight], loss, optimizer
