"""What `trace()` costs: CPU time of a whole training step, traced over untraced, and bytes per operation.

The rounds are interleaved, so that a busy moment of the machine hits all of them alike; the medians of the ratios are
printed, with an empty function mode (the floor) and torch's anomaly detection beside them. Run on a quiet machine.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import statistics
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.overrides import BaseTorchFunctionMode

from gradclinic.diagnosis.trace import trace

Step = Callable[[], torch.Tensor]
BOUNDS = {"transformer": (1.25, 350), "LSTMCell x 1000": (1.3, 450), "MLP": (1.5, None)}


class Block(nn.Module):
    """A layer of a transformer, written out as many people write it."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        y = self.first(x)
        q, k, v = (
            part(y).view(batch, length, self.heads, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        scores = (q @ k.transpose(-2, -1)) / (width // self.heads) ** 0.5
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(mixed)
        made: torch.Tensor = x + self.mlp(self.second(x))
        return made


def transformer() -> tuple[nn.Module, Step]:
    model = nn.Sequential(*(Block(128, 4) for _ in range(4)))
    x, y = torch.randn(4, 32, 128), torch.randn(4, 32, 128)
    return model, lambda: nn.functional.mse_loss(model(x), y)


def lstm() -> tuple[nn.Module, Step]:
    cell = nn.LSTMCell(16, 32)
    x = torch.randn(1000, 8, 16)

    def forward() -> torch.Tensor:
        h, c, total = torch.zeros(8, 32), torch.zeros(8, 32), torch.zeros(())
        for t in range(1000):
            h, c = cell(x[t], (h, c))
            total = total + h.mean()
        return total

    return cell, forward


def mlp() -> tuple[nn.Module, Step]:
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    x, y = torch.randn(128, 64), torch.randint(0, 10, (128,))
    return model, lambda: nn.functional.cross_entropy(model(x), y)


MODELS = {"transformer": transformer, "LSTMCell x 1000": lstm, "MLP": mlp}


def training_step(model: nn.Module, forward: Step) -> Callable[[], None]:
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        forward().backward()
        optimizer.step()

    return step


def cpu(step: Callable[[], None], around: Any, times: int) -> float:
    with around:
        step()  # sites, kinds and places are learned once
        begun = time.thread_time()
        for _ in range(times):
            step()
        return time.thread_time() - begun


def ratios(make: Callable[[], tuple[nn.Module, Step]], rounds: int) -> tuple[float, dict[str, float]]:
    """Milliseconds of a plain step, and the median ratio of each other way to it."""
    step = training_step(*make())
    step()
    times = max(1, round(0.2 / cpu(step, contextlib.nullcontext(), 3) * 3))
    ways: dict[str, Callable[[], Any]] = {
        "trace": trace,
        "empty mode": BaseTorchFunctionMode,
        "anomaly": lambda: torch.autograd.detect_anomaly(check_nan=False),
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    plain: list[float] = []
    gc.collect()
    for _ in range(rounds):
        for name, way in ways.items():
            base = cpu(step, contextlib.nullcontext(), times)
            found[name].append(cpu(step, way(), times) / base)
            plain.append(base / times * 1000)
    return statistics.median(plain), {name: statistics.median(values) for name, values in found.items()}


def bytes_per_op(make: Callable[[], tuple[nn.Module, Step]]) -> tuple[float, int]:
    """The Python memory that the trace adds just before backward, per recorded operation, with the graph alive."""
    _, forward = make()

    def peak(around: Any) -> tuple[int, int]:
        gc.collect()
        with around as found:
            first = forward()
            del first
            before = len(found.rows) if found is not None else 0
            tracemalloc.start()
            loss = forward()
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            rows = len(found.rows) - before if found is not None else 0
            del loss
        return most, rows

    plain, _ = peak(contextlib.nullcontext())
    traced, rows = peak(trace())
    return (traced - plain) / rows, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=list(MODELS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="Anomaly Detection has been enabled")
    print(f"torch {torch.__version__}, CPU time of this thread, median of {options.rounds} interleaved pairs")
    print(" " * 17 + "plain ms  traced  bound  empty mode  anomaly  bytes/op  bound    ops")
    for name, make in MODELS.items():
        if options.only in (None, name):
            torch.manual_seed(0)
            plain, found = ratios(make, options.rounds)
            size, rows = bytes_per_op(make)
            most, room = BOUNDS[name]
            print(
                f"{name:16}{plain:9.2f}{found['trace']:8.2f}{most:7.2f}{found['empty mode']:12.2f}"
                f"{found['anomaly']:9.2f}{size:10.0f}{room or '':>7}{rows:7}",
                flush=True,
            )


if __name__ == "__main__":
    main()
