"""What a diagnosis asks of a graph, beside one backward() of it: whether it reaches a tensor, and the path to draw.

Fresh graphs in each round, CPU time of this thread, medians of the ratios. Run on a quiet machine.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable
from itertools import product

import torch
from torch import nn

from gradclinic import trace
from gradclinic.diagnosis.decide.reach import reached
from gradclinic.diagnosis.decide.traced import Inquiry
from gradclinic.diagnosis.tell.notebook import drawing
from gradclinic.diagnosis.tell.path import with_path

Graph = Callable[[int], tuple[torch.Tensor, torch.Tensor, int]]
REACH, PICTURE = 0.15, 0.15


def chain(nodes: int) -> tuple[torch.Tensor, torch.Tensor, int]:
    """A leaf, what came of it, and how many nodes that took."""
    w = torch.ones(1, requires_grad=True)
    y = w
    for _ in range(nodes):
        y = y * 1.0001
    return w, y, nodes


def lstm(nodes: int) -> tuple[torch.Tensor, torch.Tensor, int]:
    cell, x = nn.LSTMCell(2, 2), torch.ones(1, 2)
    h, c = torch.zeros(1, 2), torch.zeros(1, 2)
    for _ in range(steps := nodes // 15):  # an LSTM cell on the CPU makes about 15 nodes
        h, c = cell(x, (h, c))
    return cell.weight_hh, h.sum(), 15 * steps


def residual(nodes: int) -> tuple[torch.Tensor, torch.Tensor, int]:
    layers = [nn.Linear(2, 2) for _ in range(10)]
    y = torch.ones(1, 2)
    for i in range(steps := nodes // 4):
        y = y + torch.relu(layers[i % 10](y))
    return layers[0].weight, y.sum(), 4 * steps


GRAPHS: dict[str, Graph] = {"chain": chain, "LSTM": lstm, "residual MLP": residual}


def seconds(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def reach_ratio(make: Graph, nodes: int) -> float:
    leaf, loss, _ = make(nodes)
    asked = seconds(lambda: reached([loss], [leaf]))
    return asked / seconds(lambda: torch.autograd.backward(loss))


def picture_ratio(make: Graph, nodes: int, cut: bool) -> tuple[float, int]:
    """The path with its drawing, beyond the reach check, over a backward() of the whole; and the nodes drawn.

    cut: whether the loss takes what the graph computes without its history.
    """
    with trace() as seen:
        leaf, whole, _ = make(nodes)
        loss = whole.detach() * torch.ones(1, requires_grad=True) if cut else whole
    plain = Inquiry(seen, (loss,)).decide(leaf, (loss,))
    sizes: list[int] = []

    def draw() -> None:
        path = with_path(plain, leaf, (loss,), seen).path
        assert path is not None
        drawing(path)
        sizes.append(len(path.nodes))

    return seconds(draw) / seconds(lambda: torch.autograd.backward(whole)), sizes[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    gc.freeze()
    print(f"torch {torch.__version__}, ratio to one backward(), median of {rounds} fresh graphs")
    for nodes in (1_000, 10_000):
        for name, make in GRAPHS.items():
            reach_ratio(make, 100)
            ratio = statistics.median(reach_ratio(make, nodes) for _ in range(rounds))
            print(f"reach check  {nodes:7}  {name:18}{ratio:6.3f}   bound {REACH}", flush=True)
    for name, cut in product(GRAPHS, (False, True)):
        found = [picture_ratio(GRAPHS[name], 100_000, cut) for _ in range(max(rounds // 3, 3))]
        ratio = statistics.median(one for one, _ in found)
        kind = name + (", cut" if cut else "")
        print(f"picture      100000  {kind:18}{ratio:6.3f}   bound {PICTURE}   {found[0][1]} nodes drawn", flush=True)


if __name__ == "__main__":
    main()
