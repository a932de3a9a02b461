"""Draws the facts of an executed graph as inline SVG, and says the same in words.

The loss stands on top and every arrow goes the way that `backward()` walks. Kinds differ by shape and by label: the
loss is a hexagon, an operation a box, several in one a box with a double edge, a leaf a pill, a gap a dashed box. Where
autograd lost the way the line is dashed and has a cross, where that is not sure a question mark; a dotted line is one
that only values came along.
Colours come from the page's style sheet through the `gc-` classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from ..graph import Facts, Node, walked
from .layout import Edge, Placement, place
from .letters import columns, cut
from .passes import Step, called, edges, missing, steps

LARGEST = 15  # of a lesson
_LONGEST = 42  # letters in a line of a node
_LETTER, _LINE, _BETWEEN, _MARGIN = 7.6, 18.0, 34.0, 8.0


class TooLarge(Exception):
    """The graph has more nodes than a reader takes in at once."""


def figure(facts: Facts, key: str, after: str) -> str:
    """The picture with its caption and the same in words, as HTML without blank lines (Markdown would end it there).

    `key` makes the ids unique on the page, `after` says which cell has run. Raises TooLarge above 15 nodes.
    """
    signs = lines_of(facts)[0]
    caption = f"The graph behind <code>{escape(facts.nodes[0].name)}</code>, {escape(after)}, as it was executed. "
    caption += "Every arrow is a step that <code>backward()</code> takes. Pill: a leaf. Box: an operation."
    caption += " Dashed, behind a cross: not reached." if "-✗" in signs else ""
    caption += " Behind a question mark: perhaps not reached." if "-?" in signs else ""
    caption += " Dotted: only values came this way." if "··" in signs else ""
    title = f"The graph behind {facts.nodes[0].name}, {after}"
    words = "".join(f"<li>{escape(line)}</li>" for line in in_words(facts))
    passes = "".join(map(_step, steps(facts.nodes)))
    return (
        f'<figure class="gc-figure"><div class="gc-scroll">{svg(facts, key, title)}</div>'
        f"<figcaption>{caption}</figcaption>"
        f"<details><summary>The same graph in words</summary><ol>{words}</ol></details>"
        '<details class="gc-steps" data-search-exclude><summary>Forward and backward, step by step</summary>'
        f"<ol>{passes}</ol></details></figure>"
    )


def _step(step: Step) -> str:
    """A line of the list, with the numbers of its nodes and edges in the picture for the script that shows them."""
    which = f'data-nodes="{" ".join(map(str, step.nodes))}" data-edges="{" ".join(map(str, step.edges))}"'
    return f"<li {which}>{escape(step.text)}</li>"


def svg(facts: Facts, key: str, title: str, most: int = LARGEST) -> str:
    """The picture alone, `title` its name for those who do not see it. Raises TooLarge above `most` nodes."""
    nodes = facts.nodes
    if len(nodes) > most:
        raise TooLarge(f"the graph has {len(nodes)} nodes, and a picture holds {most} at most")
    texts = [_lines(node) for node in nodes]
    widths = [
        max(map(columns, lines)) * _LETTER + (44 if node.kind == "loss" else 28) for node, lines in _pairs(nodes, texts)
    ]
    apart = missing(nodes)
    placed = place(widths, edges(nodes), frozenset(i for i, node in enumerate(nodes) if node.kind == "gap"))
    heights = [len(lines) * _LINE + 14 for lines in texts]
    tops = _tops(placed.layer, heights)
    middle = [tops[placed.layer[i]][0] + tops[placed.layer[i]][1] / 2 for i in range(len(nodes))]
    parts = [
        _edge(placed, edge, tops, heights, middle, _edge_class(nodes, edge, edge in apart)) for edge in placed.routes
    ]
    lit = walked(nodes)
    for i, node in enumerate(nodes):
        state = " gc-lost" if node.broken or node.unsure else "" if i in lit or node.kind == "gap" else " gc-dark"
        parts.append(_node(node, state, texts[i], placed.x[i] + _MARGIN, middle[i], widths[i], heights[i]))
    width, height = placed.width + 2 * _MARGIN, tops[-1][0] + tops[-1][1] + _MARGIN
    description = " ".join(in_words(facts))
    return (
        f'<svg class="gc-graph" role="img" aria-labelledby="{key}-title {key}-desc" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{key}-title">{escape(title)}</title><desc id="{key}-desc">{escape(description)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def in_words(facts: Facts) -> list[str]:
    """One sentence a node, from the loss to the leaves, then the gaps."""
    names = called(facts.nodes)
    sentences = []
    for node, own in zip(facts.nodes, names, strict=True):
        made_from = ", ".join(names[i] for i in node.to)  # whatever became of the way
        sentence = f"{own}: {node.missing}" if node.missing else own
        sentence += f", made from {made_from}" if made_from else ""
        if node.kind != "loss" and node.grad is not None:
            sentence += "; its .grad is filled" if node.grad else "; its .grad is None"
        sentences.append(sentence + ".")
    return sentences


def _lines(node: Node) -> list[str]:
    if node.kind == "loss":
        lines = [node.name, "start: " + node.what, *([node.missing] if node.missing else [])]
        return [_short(line) for line in lines]
    state = "" if node.grad is None else ", .grad filled" if node.grad else ", .grad None"
    return [_short(line) for line in (node.name, node.what + state, node.missing) if line]


def lines_of(facts: Facts) -> list[str]:
    """The same for a terminal: a heading, and one line a node; where a way forks, what became of each."""
    nodes, apart = facts.nodes, missing(facts.nodes)
    ways = [[(i, to) for to in node.to] + [edge for edge in apart if edge[0] == i] for i, node in enumerate(nodes)]
    straight = all(edges in ([(i, i + 1)], []) for i, edges in enumerate(ways))
    signs = {_sign(nodes, edge) for edges in ways for edge in edges}
    legend = ", ".join(f"{sign} {said}" for sign, said in _SIGNS.items() if sign in signs)
    lines = [f"Path, from the loss back{f' ({legend})' if legend else ''}:"]
    for i, node in enumerate(nodes):
        text = "  ".join(part for part in (node.name, node.what) if part) + (
            f": {node.missing}" if node.missing else ""
        )
        if straight:
            lines.append(f"  {_sign(nodes, (i - 1, i)) if i else '  '} {text}")
        else:
            told = ", ".join(f"{_sign(nodes, edge)} {edge[1] + 1}" for edge in ways[i])
            lines.append(f"  {i + 1:2} {text}" + (f"  {told}" if told else ""))
    return lines


_SIGNS = {"··": "only values came", "-✗": "lost here", "-?": "not sure"}


def _sign(nodes: Sequence[Node], edge: Edge) -> str:
    kind = _edge_class(nodes, edge, edge in missing(nodes))
    return {"gc-lit": "->", "gc-unwalked": "··", "gc-missing": "-✗", "gc-unsure": "-?"}[kind]


def _short(text: str) -> str:
    return cut(text, _LONGEST)


def _pairs(nodes: Sequence[Node], texts: list[list[str]]) -> list[tuple[Node, list[str]]]:
    return list(zip(nodes, texts, strict=True))


def _edge_class(nodes: Sequence[Node], edge: Edge, apart: bool) -> str:
    above = nodes[edge[0]]
    if apart:
        return "gc-unsure" if nodes[edge[1]].open else "gc-missing"
    if edge[1] in above.broken:
        return "gc-missing"
    if edge[1] in above.unsure:
        return "gc-unsure"
    return "gc-unwalked" if above.kind == "gap" or edge[1] in above.unwalked else "gc-lit"


def _tops(layers: Sequence[int], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Top and height of each layer."""
    tops: list[tuple[float, float]] = []
    top = _MARGIN
    for depth in range(max(layers) + 1):
        height = max([h for h, layer in zip(heights, layers, strict=False) if layer == depth], default=_LINE)
        tops.append((top, height))
        top += height + _BETWEEN
    return tops


def _edge(
    placed: Placement,
    edge: Edge,
    tops: list[tuple[float, float]],
    heights: list[float],
    middle: list[float],
    kind: str,
) -> str:
    """A smooth line through the route, upright at each layer that it passes, with an arrowhead or a cross."""
    upper, lower = edge
    points = []
    for x, layer in placed.routes[edge][1:-1]:
        top, height = tops[layer]
        points += [(x + _MARGIN, top), (x + _MARGIN, top + height)]
    start = (placed.x[upper] + _MARGIN, middle[upper] + heights[upper] / 2)
    end = (placed.x[lower] + _MARGIN, middle[lower] - heights[lower] / 2)
    stops = [start, *points, end]
    path = f"M{start[0]:.1f} {start[1]:.1f}"
    for (x0, y0), (x1, y1) in pairwise(stops):
        half = (y0 + y1) / 2
        path += f"C{x0:.1f} {half:.1f} {x1:.1f} {half:.1f} {x1:.1f} {y1:.1f}"
    line = f'<path class="gc-edge {kind}" d="{path}"/>'
    x, y = (start[0] + stops[1][0]) / 2, (start[1] + stops[1][1]) / 2
    if kind == "gc-missing":
        return line + f'<path class="gc-cross" d="M{x - 6:.1f} {y - 6:.1f}l12 12m0 -12l-12 12"/>'
    if kind == "gc-unsure":
        return line + f'<text class="gc-doubt" x="{x + 10:.1f}" y="{y + 5:.1f}">?</text>'
    head = f"{end[0]:.1f},{end[1]:.1f} {end[0] - 4:.1f},{end[1] - 8:.1f} {end[0] + 4:.1f},{end[1] - 8:.1f}"
    return line + f'<polygon class="gc-head {kind}" points="{head}"/>'


def _node(node: Node, state: str, lines: list[str], x: float, y: float, width: float, height: float) -> str:
    left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
    if node.kind == "loss":
        corners = [
            (left, y),
            (left + 12, top),
            (right - 12, top),
            (right, y),
            (right - 12, bottom),
            (left + 12, bottom),
        ]
        shape = f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}"/>'
    else:
        round_by = height / 2 if node.kind == "leaf" else 3
        shape = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_by:g}"/>'
    if node.kind == "fold":
        shape += (
            f'<rect x="{left + 4:.1f}" y="{top + 4:.1f}" width="{width - 8:.1f}" height="{height - 8:.1f}" rx="2"/>'
        )
    text = ""
    for i, line in enumerate(lines):
        kind = "gc-name" if i == 0 and node.name else "gc-why" if line == node.missing else "gc-what"
        text += f'<text class="{kind}" x="{x:.1f}" y="{top + 7 + 13 + i * _LINE:.1f}">{escape(line)}</text>'
    return f'<g class="gc-node gc-{node.kind}{state}">{shape}{text}</g>'
