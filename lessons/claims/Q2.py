"""`retain_grad()` must be called right after the tensor is created. On the tensors that a model returns it is too late,
because the graph is already built.

source: Q
verdict: false
"""

import torch
from torch import Tensor, nn


class SmallModel(nn.Module):
    def __init__(self, features: Tensor, targets: Tensor) -> None:
        super().__init__()
        self.lstm_cell = nn.LSTMCell(input_size=features.shape[2], hidden_size=16)
        self.fc = nn.Linear(in_features=16, out_features=targets.shape[2])

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hx, cx = torch.randn(64, 16), torch.randn(64, 16)
        a_s, b_s, c_s = [], [], []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t, :], (hx, cx))
            a = torch.relu(self.fc(hx)) * 0.8 + 20
            b = a * 2
            c = b * 0.9
            a_s.append(a)
            b_s.append(b)
            c_s.append(c)
        return torch.stack(a_s, dim=1), torch.stack(b_s, dim=1), torch.stack(c_s, dim=1)


def measure() -> tuple[str, str]:
    """Returns the verdict that this run shows, and what came out."""
    outside = gradient_of_c_s(before_backward=True)
    late = gradient_of_c_s(before_backward=False)
    shown = "None" if outside is None else f"filled, {tuple(outside.shape)}"
    verdict = "true" if outside is None else "false"
    return verdict, f"c_s.grad, retained outside the model: before backward() {shown}; after it {late}"


def gradient_of_c_s(*, before_backward: bool) -> Tensor | None:
    """The gradient of the returned stack, retained outside the model."""
    features, targets = torch.randn(64, 5, 4), torch.randn(64, 5, 3)
    c_s: Tensor = SmallModel(features, targets)(features)[2]
    if before_backward:
        c_s.retain_grad()
    nn.functional.mse_loss(c_s, targets).backward()
    if not before_backward:
        c_s.retain_grad()
    return c_s.grad
