"""Method 1: `retain_grad()` on the three stacks inside `forward` fills `a_s.grad`, `b_s.grad` and `c_s.grad`.

source: Q
verdict: false
"""

import torch
from torch import Tensor, nn


class SmallModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm_cell = nn.LSTMCell(4, 16)
        self.fc = nn.Linear(16, 3)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hx, cx = torch.randn(64, 16), torch.randn(64, 16)
        a_steps, b_steps, c_steps = [], [], []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t, :], (hx, cx))
            a = torch.relu(self.fc(hx)) * 0.8 + 20
            b = a * 2
            c = b * 0.9
            a_steps.append(a)
            b_steps.append(b)
            c_steps.append(c)
        a_s, b_s, c_s = torch.stack(a_steps, dim=1), torch.stack(b_steps, dim=1), torch.stack(c_steps, dim=1)
        for stack in (a_s, b_s, c_s):
            stack.retain_grad()
        return a_s, b_s, c_s


def measure() -> tuple[str, str]:
    """The verdict of this run, and what came out."""
    a_s, b_s, c_s = SmallModel()(torch.randn(64, 5, 4))
    nn.functional.mse_loss(c_s, torch.randn(64, 5, 3)).backward()
    grads = {"a_s": a_s.grad, "b_s": b_s.grad, "c_s": c_s.grad}
    filled = [name for name, grad in grads.items() if grad is not None]
    # Asked were a_s and b_s: that c_s is filled makes the method no better.
    verdict = "true" if len(filled) == 3 else "half" if {"a_s", "b_s"} & set(filled) else "false"
    came_out = ", ".join(f"{name}.grad {'is None' if g is None else tuple(g.shape)}" for name, g in grads.items())
    return verdict, came_out
