"""A small exercise of our own, loaded and called once in the forkserver as a child does with a learner's.

What the first call costs (types and symbols looked up, kernels registered, code made fast) is then paid once and not
in each child, which would also copy every page that it changes. It stays below the size from which PyTorch starts
threads, and takes no random number: a thread does not survive a fork, and the child would wait for it for ever.
"""

from __future__ import annotations

import io
import sys
from typing import Any

import torch
from torch import nn

from gradclinic.grading import child, wire


class Network(nn.Module):
    def __init__(self, n_channels: int, n_labels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(n_channels, 2, kernel_size=3, padding=1)
        self.fc = nn.Linear(2, n_labels)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        features = torch.relu(self.conv(image))
        scores: torch.Tensor = self.fc(features.mean(dim=(1, 2)))
        return scores


def step(weights: dict[str, torch.Tensor], image: torch.Tensor, labels: torch.Tensor) -> dict[str, Any]:
    model = Network(len(image), len(labels))
    model.load_state_dict(weights)
    scores = model(image)
    scores.retain_grad()
    loss = ((scores - labels) ** 2).mean()
    loss.backward()
    if "torch._dynamo" in sys.modules:  # else making an optimizer would import it
        torch.optim.SGD(model.parameters(), lr=0.1).step()
    return {"loss": loss.item(), "pull": scores.grad, "weights": dict(model.named_parameters())}


def run() -> None:
    """Loads this very file the way a learner's is loaded, calls it, and leaves no trace but the warmth."""
    path, state = list(sys.path), torch.default_generator.get_state()
    learner = child.Learner(__file__)
    weights = {name: torch.full(shape, 0.1) for name, shape in _SHAPES.items()}
    arguments = [weights, torch.full((1, 4, 4), 0.5), torch.ones(3)]
    for _ in range(2):
        learner.load()
        request = wire.read(io.BytesIO(wire.message({"function": "step", "seed": 1}, args=arguments)))
        assert request is not None
        learner.call(request)
    sys.path[:] = path
    del sys.modules["exercise"]
    torch.default_generator.set_state(state)


_SHAPES = {"conv.weight": (2, 1, 3, 3), "conv.bias": (2,), "fc.weight": (3, 2), "fc.bias": (3,)}
