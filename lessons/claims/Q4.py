"""Method 2: `torch.autograd.grad(loss, a_s)` gives the gradient, without a change to the model.

source: Q
verdict: false
"""

import torch
from torch import Tensor, nn


def forward(cell: nn.LSTMCell, fc: nn.Linear, features: Tensor) -> tuple[Tensor, Tensor]:
    """The article's model: the stack of a, and the stack of c that the loss is computed from."""
    hx, cx = torch.randn(64, 16), torch.randn(64, 16)
    a_steps, c_steps = [], []
    for t in range(features.shape[1]):
        hx, cx = cell(features[:, t, :], (hx, cx))
        a = torch.relu(fc(hx)) * 0.8 + 20
        a_steps.append(a)
        c_steps.append(a * 2 * 0.9)
    return torch.stack(a_steps, dim=1), torch.stack(c_steps, dim=1)


def measure() -> tuple[str, str]:
    """The verdict of this run, and what came out."""
    a_s, c_s = forward(nn.LSTMCell(4, 16), nn.Linear(16, 3), torch.randn(64, 5, 4))
    loss = nn.functional.mse_loss(c_s, torch.randn(64, 5, 3))
    loss.backward(retain_graph=True)
    try:
        gradient = torch.autograd.grad(loss, a_s, retain_graph=True)[0]
    except RuntimeError as error:
        unused = torch.autograd.grad(loss, a_s, retain_graph=True, allow_unused=True)[0]
        zeros = torch.autograd.grad(loss, a_s, materialize_grads=True)[0]
        first = str(error).split(". ")[0]
        filled = "zeros" if not zeros.any() else "numbers"
        return "false", f"RuntimeError: {first}; allow_unused gives {unused}, materialize_grads {filled}"
    return "true", f"a gradient of shape {tuple(gradient.shape)}"
