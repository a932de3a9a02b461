"""The forward pass and the backward pass over the graph of a picture, one step at a time, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from ..graph import Node, walked
from .layout import Edge


@dataclass(frozen=True)
class Step:
    """What happens, at which nodes and along which edges of the picture, by their numbers there."""

    text: str
    nodes: tuple[int, ...]
    edges: tuple[int, ...]


def edges(nodes: Sequence[Node]) -> list[Edge]:
    """The edges of a picture, in the order in which they are drawn."""
    return [(i, to) for i, node in enumerate(nodes) for to in node.to] + missing(nodes)


def missing(nodes: Sequence[Node]) -> list[Edge]:
    """The edges that a reader expects and the graph lacks: from the loss to each gap that no other gap hangs on."""
    fed = {to for node in nodes if node.kind == "gap" for to in node.to}
    return [(0, i) for i, node in enumerate(nodes) if node.kind == "gap" and i not in fed and 0 not in node.to]


def called(nodes: Sequence[Node]) -> list[str]:
    """What each node is called in a sentence; nodes that would be called alike are counted."""
    plain = [f"{node.name} ({node.what})" if node.name and node.what else node.name or node.what for node in nodes]
    return [f"{n} no. {plain[:i].count(n) + 1}" if plain.count(n) > 1 else n for i, n in enumerate(plain)]


def steps(nodes: Sequence[Node]) -> list[Step]:
    """From what is given to the loss, and back from the loss as far as autograd finds the way; then who is left out."""
    order = list(TopologicalSorter({i: node.to for i, node in enumerate(nodes)}).static_order())
    lit = walked(nodes)
    back = [_back(nodes, i) for i in reversed(order) if i in lit]
    back += [_left_out(nodes, i) for i in range(len(nodes)) if i not in lit]
    return [*_numbered("Forward", _forward(nodes, order)), *_numbered("Backward", back)]


def _forward(nodes: Sequence[Node], order: Sequence[int]) -> list[Step]:
    names = called(nodes)
    given = tuple(i for i in order if not nodes[i].to)
    done = [Step(f"given: {_listed(names, given)}.", given, ())]
    for i in order:
        if nodes[i].to:
            text = f"{names[i]}, computed from {_listed(names, nodes[i].to)}."
            done.append(Step(text, (i,), _from(nodes, i)))
    return done


def _back(nodes: Sequence[Node], i: int) -> Step:
    """Said of the way and not of `backward()`, which the program need not have called."""
    node, names = nodes[i], called(nodes)
    on = [to for to in node.to if to not in (*node.broken, *node.unwalked, *node.unsure)]
    said = [f"the way {'starts at' if node.kind == 'loss' else 'comes to'} {names[i]}", *_state(node)]
    said += [f"it goes on to {_listed(names, on)}"] if on else []
    said += [f"it is lost before {_listed(names, node.broken)}"] if node.broken else []
    said += [f"perhaps it is lost before {_listed(names, node.unsure)}"] if node.unsure else []
    said += [f"only values came from {_listed(names, node.unwalked)}"] if node.unwalked else []
    return Step("; ".join(said) + ".", (i,), _from(nodes, i))


def _left_out(nodes: Sequence[Node], i: int) -> Step:
    said = [f"the way does not come to {called(nodes)[i]}", *_state(nodes[i])]
    cut = [(i, to) for to in (*nodes[i].broken, *nodes[i].unsure)] + [edge for edge in missing(nodes) if edge[1] == i]
    return Step("; ".join(said) + ".", (i,), tuple(map(edges(nodes).index, cut)))


def _state(node: Node) -> list[str]:
    said = [node.missing] if node.missing else []
    if node.kind != "loss" and node.grad is not None:
        said.append("its .grad is filled" if node.grad else "its .grad is None")
    return said


def _listed(names: Sequence[str], which: Iterable[int]) -> str:
    *first, last = (names[i] for i in which)
    return f"{', '.join(first)} and {last}" if first else last


def _from(nodes: Sequence[Node], i: int) -> tuple[int, ...]:
    return tuple(at for at, (upper, to) in enumerate(edges(nodes)) if upper == i and to in nodes[i].to)


def _numbered(name: str, done: Sequence[Step]) -> list[Step]:
    return [Step(f"{name}, {i} of {len(done)}: {step.text}", step.nodes, step.edges) for i, step in enumerate(done, 1)]
