"""If only the gradients are wanted, `autograd.grad` alone gives them, without `backward()`.

source: Q
verdict: true
"""

import torch
from torch import nn


class SmallModel(nn.Module):
    """The article's model; the stack of `c` is the one that the loss is computed from."""

    def __init__(self):
        super().__init__()
        self.lstm_cell = nn.LSTMCell(input_size=4, hidden_size=16)
        self.fc = nn.Linear(in_features=16, out_features=3)

    def forward(self, features):
        hx, cx = torch.randn(64, 16), torch.randn(64, 16)
        c_s = []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t, :], (hx, cx))
            a = torch.relu(self.fc(hx)) * 0.8 + 20
            b = a * 2
            c_s.append(b * 0.9)
        return torch.stack(c_s, dim=1)


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    torch.manual_seed(0)
    model, features, targets = SmallModel(), torch.randn(64, 5, 4), torch.randn(64, 5, 3)
    c_s = model(features)
    loss = nn.functional.mse_loss(c_s, targets)
    grad = torch.autograd.grad(loss, c_s)[0]

    right = torch.allclose(grad, 2 * (c_s - targets) / targets.numel())
    numbers = "2 (c - target) / n" if right else "other numbers"
    touched = sum(p.grad is not None for p in model.parameters())
    return (
        "true" if right and not touched else "half" if right else "false",
        f"autograd.grad(loss, c_s) gave {numbers}, of shape {tuple(grad.shape)}; "
        f"parameters whose .grad was touched: {touched}",
    )
