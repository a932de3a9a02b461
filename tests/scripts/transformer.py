"""A tiny language model that learns to count modulo ten."""

import math
import sys

import torch
from torch import nn

VOCAB, WIDTH, HEADS, LENGTH = 10, 16, 2, 8


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, WIDTH)
        self.positions = nn.Parameter(0.02 * torch.randn(LENGTH, WIDTH))

    def forward(self, ids):
        return self.tokens(ids) * math.sqrt(WIDTH) + self.positions[: ids.size(1)]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm1 = nn.LayerNorm(WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x, mask):
        y = self.norm1(x)
        y, _ = self.attention(y, y, y, attn_mask=mask, need_weights=False)
        x = x + y
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, layers=2):
        super().__init__()
        self.embed = Embedding()
        self.blocks = nn.ModuleList([Block() for _ in range(layers)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids):
        mask = torch.triu(torch.full((ids.size(1), ids.size(1)), float("-inf")), diagonal=1)
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def batches(steps, size=8):
    for _ in range(steps):
        start = torch.randint(0, VOCAB, (size, 1))
        ids = (start + torch.arange(LENGTH + 1)) % VOCAB
        yield ids[:, :-1], ids[:, 1:]


def main():
    torch.manual_seed(1)
    model = Model()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    history = []
    for step, (ids, targets) in enumerate(batches(6)):
        logits = model(ids)
        loss = criterion(logits.reshape(-1, VOCAB), targets.reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        history.append(loss.item())
        if step % 2 == 0:
            print("step", step, "loss", round(history[-1], 4))
    print("weights", sum(p.numel() for p in model.parameters()), file=sys.stderr)


if __name__ == "__main__":
    main()
