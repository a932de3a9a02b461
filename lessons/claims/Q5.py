"""`backward(retain_graph=True)` is needed before a further `autograd.grad` on the same graph, and it costs memory.

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


class Kept:
    """A value that the graph saves for the backward pass; counts the bytes while they are held."""

    bytes = 0

    def __init__(self, tensor):
        self.tensor = tensor.detach()
        Kept.bytes += tensor.nbytes

    def __del__(self):
        Kept.bytes -= self.tensor.nbytes


def run(model, features, targets, **how):
    """One backward pass, then a further `autograd.grad`: its error or None, and the bytes held in between."""
    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        c_s = model(features)
        loss = nn.functional.mse_loss(c_s, targets)
        loss.backward(**how)
        held = Kept.bytes
        try:
            torch.autograd.grad(loss, c_s)
        except RuntimeError as error:
            return str(error), held
    return None, held


def measure() -> tuple[str, str]:
    """Returns the verdict ("true", "false" or "half") that this run shows, and what came out in one line."""
    torch.manual_seed(0)
    model, features, targets = SmallModel(), torch.randn(64, 5, 4), torch.randn(64, 5, 3)
    without, held_without = run(model, features, targets)
    kept, held_kept = run(model, features, targets, retain_graph=True)
    needed = without is not None and "a second time" in without and kept is None
    costs = held_kept > held_without
    outcome = without.split(" (")[0] if without else "no error"
    return (
        "true" if needed and costs else "half" if needed or costs else "false",
        f"without it: {outcome}, {held_without} bytes held; with it: {kept or 'no error'}, {held_kept} bytes held",
    )
