"""Fine-tune: a frozen backbone, a new head, and a small adapter between them."""

import copy

import torch
from torch import nn
from torch.nn import functional as F


def backbone():
    return nn.Sequential(
        nn.Linear(6, 16),
        nn.ReLU(),
        nn.Linear(16, 16),
        nn.ReLU(),
    )


class Adapter(nn.Module):
    def __init__(self, width, rank=2):
        super().__init__()
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width, bias=False)
        nn.init.normal_(self.up.weight, std=0.02)

    def forward(self, x):
        return x + self.up(F.gelu(self.down(x)))


class Classifier(nn.Module):
    def __init__(self, body, classes):
        super().__init__()
        self.body = body
        self.adapter = Adapter(16)
        self.head = nn.Linear(16, classes)

    def freeze(self):
        for parameter in self.body.parameters():
            parameter.requires_grad = False

    def forward(self, x):
        features = self.body(x)
        features = self.adapter(features)
        return self.head(features)


def pretrain(body):
    head = nn.Linear(16, 1)
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
    for _ in range(3):
        x = torch.randn(16, 6)
        loss = F.mse_loss(head(body(x)), x.sum(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return body


def main():
    torch.manual_seed(4)
    body = pretrain(backbone())
    model = Classifier(body, 3)
    model.freeze()
    before = copy.deepcopy(model.state_dict())
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(trainable, lr=1e-2)
    for step in range(6):
        x = torch.randn(16, 6)
        y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.4f}")
    moved = [name for name, value in model.state_dict().items() if not torch.equal(value, before[name])]
    print("moved:", ", ".join(moved))


if __name__ == "__main__":
    main()
