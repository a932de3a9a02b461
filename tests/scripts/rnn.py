"""An RNN that reads a long sine wave in pieces and carries its state from one to the next."""

import math

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(1, hidden)
        self.gate = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def start(self, batch):
        return torch.zeros(batch, self.hidden)

    def forward(self, piece, state):
        outputs = []
        for t in range(piece.size(1)):
            state = self.cell(piece[:, t], state)
            state = state * torch.sigmoid(self.gate(state))
            outputs.append(self.out(state))
        return torch.stack(outputs, dim=1), state


def wave(length=81, batch=4):
    t = torch.arange(length, dtype=torch.float32)
    phase = torch.rand(batch, 1)
    return torch.sin(0.3 * t + 2 * math.pi * phase).unsqueeze(-1)


def repackage(state):
    """Cut the state off from the pieces before."""
    return state.detach()


def train(model, data, optimizer, piece=10):
    criterion = nn.MSELoss()
    state = model.start(data.size(0))
    losses = []
    for begin in range(0, data.size(1) - 1, piece):
        inputs = data[:, begin : begin + piece]
        targets = data[:, begin + 1 : begin + piece + 1]
        state = repackage(state)
        predicted, state = model(inputs, state)
        loss = criterion(predicted, targets)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses), float(norm)


def main():
    torch.manual_seed(3)
    model = Reader()
    data = wave()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
    for epoch in range(2):
        loss, norm = train(model, data, optimizer)
        print("epoch %d loss %.4f grad norm %.4f" % (epoch, loss, norm))


main()
