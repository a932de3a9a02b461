"""Where the nodes of a small graph stand: in layers, every edge downwards, long edges led around the nodes between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[int, int]

_BEND_WIDTH = 18.0  # room that a long edge takes in a layer it only passes
_APART = 22.0
_SWEEPS = 8
_STRAIGHTER = 7  # how much more a long edge minds a bend than a node minds to stand aside


@dataclass(frozen=True)
class Placement:
    """Centres of the nodes, the layer of each, and the points that each edge passes."""

    x: tuple[float, ...]
    layer: tuple[int, ...]
    routes: dict[Edge, tuple[tuple[float, int], ...]]  # (x, layer) from the upper node to the lower
    width: float


def place(widths: Sequence[float], edges: Sequence[Edge], right: frozenset[int]) -> Placement:
    """Layers by the longest way from the top; the nodes in `right` (and edges to them) stand to the right of the rest.

    Raises ValueError when the edges form a circle.
    """
    layer_of_nodes = _layers(len(widths), edges)
    chains, layer, widths, right = _with_bends(list(widths), edges, layer_of_nodes, right)
    links = [pair for chain in chains.values() for pair in pairwise(chain)]
    rows = _order(layer, links, right)
    bends = range(len(layer_of_nodes), len(layer))
    straight = [link for link in links if link[0] in bends and link[1] in bends]
    x = _coordinates(rows, widths, links + _STRAIGHTER * straight)
    left = min(x[i] - widths[i] / 2 for i in range(len(x)))
    x = [round(value - left, 1) for value in x]
    routes = {edge: tuple((x[i], layer[i]) for i in chain) for edge, chain in chains.items()}
    width = round(max(x[i] + widths[i] / 2 for i in range(len(x))), 1)
    return Placement(tuple(x), tuple(layer), routes, width)


def _layers(count: int, edges: Sequence[Edge]) -> list[int]:
    layer = [0] * count
    for _ in range(count):
        moved = False
        for upper, lower in edges:
            if layer[lower] <= layer[upper]:
                layer[lower], moved = layer[upper] + 1, True
        if not moved:
            return layer
    raise ValueError("the edges form a circle")


def _with_bends(
    widths: list[float], edges: Sequence[Edge], layer: list[int], right: frozenset[int]
) -> tuple[dict[Edge, list[int]], list[int], list[float], frozenset[int]]:
    """Adds an empty place in each layer that an edge passes, so that no edge runs behind a node."""
    layer, beside, chains = list(layer), set(right), {}
    for upper, lower in edges:
        chain = [upper]
        for between in range(layer[upper] + 1, layer[lower]):
            chain.append(len(layer))
            if upper in right or lower in right:
                beside.add(len(layer))
            layer.append(between)
            widths.append(_BEND_WIDTH)
        chains[upper, lower] = [*chain, lower]
    return chains, layer, widths, frozenset(beside)


def _order(layer: list[int], links: list[Edge], right: frozenset[int]) -> list[list[int]]:
    """Each layer from left to right: near the middle of its neighbours above, then below, a few times over."""
    rows = [[i for i, at in enumerate(layer) if at == depth] for depth in range(max(layer) + 1)]
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        neighbours = _neighbours(len(layer), [(a, b) if down else (b, a) for a, b in links])
        rank = {node: position for row in rows for position, node in enumerate(row)}
        for row in rows if down else reversed(rows):
            middle = {i: _mean([rank[n] for n in neighbours[i]], rank[i]) for i in row}
            row.sort(key=lambda i, middle=middle: (i in right, middle[i]))  # type: ignore[misc]
            rank |= {node: position for position, node in enumerate(row)}
    return rows


def _neighbours(count: int, links: Sequence[Edge]) -> list[list[int]]:
    """For each node the upper ends of its links."""
    result: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in links:
        result[lower].append(upper)
    return result


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _coordinates(rows: list[list[int]], widths: list[float], links: list[Edge]) -> list[float]:
    x = [0.0] * len(widths)
    both = _neighbours(len(widths), [*links, *((b, a) for a, b in links)])
    for sweep in range(2 * _SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [_mean([x[n] for n in both[i]], x[i]) for i in row]
            for i, value in zip(row, _apart(wanted, [widths[i] for i in row]), strict=True):
                x[i] = value
    return x


def _apart(wanted: list[float], widths: list[float]) -> list[float]:
    """The places nearest to the wanted ones (least squares) that keep order and distance."""
    offsets = [0.0]
    for one, other in pairwise(widths):
        offsets.append(offsets[-1] + (one + other) / 2 + _APART)
    blocks: list[list[float]] = []  # (sum, count): neighbours that want the same place share their mean
    for value, offset in zip(wanted, offsets, strict=True):
        blocks.append([value - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count]
    means = [total / count for total, count in blocks for _ in range(int(count))]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]
