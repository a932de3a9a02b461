"""Pictures of graphs: the same facts give the same picture, and it says the same as its words."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradclinic.diagnosis.graph import Facts, Node
from gradclinic.diagnosis.tell.layout import place
from gradclinic.diagnosis.tell.passes import Step, steps
from gradclinic.diagnosis.tell.picture import TooLarge, figure, in_words, svg

SVG = "{http://www.w3.org/2000/svg}"
GAP = Facts(
    (
        Node("loss", "pow", "loss", False, (1,)),
        Node("operation", "tanh", "h", False, (2,)),
        Node("leaf", "leaf", "w", True, ()),
        Node("gap", "stack", "history", False, (1,), "not reached from the loss"),
    )
)


def test_a_chain_of_two_is_drawn_to_the_last_digit() -> None:
    facts = Facts((Node("loss", "exp", "loss", False, (1,)), Node("leaf", "leaf", "w", True, ())))
    assert svg(facts, "g", "The graph behind loss, after it") == (
        '<svg class="gc-graph" role="img" aria-labelledby="g-title g-desc" viewBox="0 0 180.8 150" width="180.8" '
        'height="150" xmlns="http://www.w3.org/2000/svg"><title id="g-title">The graph behind loss, after it</title>'
        '<desc id="g-desc">loss (exp), made from w (leaf). w (leaf); its .grad is filled.</desc>'
        '<path class="gc-edge gc-lit" d="M90.4 58.0C90.4 75.0 90.4 75.0 90.4 92.0"/>'
        '<polygon class="gc-head gc-lit" points="90.4,92.0 86.4,84.0 94.4,84.0"/>'
        '<g class="gc-node gc-loss"><polygon points="30.4,33.0 42.4,8.0 138.4,8.0 150.4,33.0 138.4,58.0 42.4,58.0"/>'
        '<text class="gc-name" x="90.4" y="28.0">loss</text>'
        '<text class="gc-what" x="90.4" y="46.0">start: exp</text></g>'
        '<g class="gc-node gc-leaf"><rect x="8.0" y="92.0" width="164.8" height="50.0" rx="25"/>'
        '<text class="gc-name" x="90.4" y="112.0">w</text>'
        '<text class="gc-what" x="90.4" y="130.0">leaf, .grad filled</text></g></svg>'
    )


def test_every_kind_has_a_shape_of_its_own_and_a_gap_has_a_broken_way() -> None:
    drawn = ET.fromstring(svg(GAP, "g", "after it"))
    shapes = {node.get("class", "").removeprefix("gc-node gc-"): node[0] for node in drawn.iter(f"{SVG}g")}
    assert shapes["loss"].tag == f"{SVG}polygon"
    assert (shapes["operation"].get("rx"), shapes["leaf"].get("rx")) == ("3", "25")
    kinds = [path.get("class", "") for path in drawn.iter(f"{SVG}path")]
    assert sorted(kinds) == [
        "gc-cross",
        "gc-edge gc-lit",
        "gc-edge gc-lit",
        "gc-edge gc-missing",
        "gc-edge gc-unwalked",
    ]
    assert "not reached from the loss" in [text.text for text in drawn.iter(f"{SVG}text")]


def test_the_words_tell_every_node_edge_and_gradient() -> None:
    assert in_words(GAP) == [
        "loss (pow), made from h (tanh).",
        "h (tanh), made from w (leaf); its .grad is None.",
        "w (leaf); its .grad is filled.",
        "history (stack): not reached from the loss, made from h (tanh); its .grad is None.",
    ]


def test_the_steps_lead_up_to_the_loss_and_back_and_name_who_is_left_out() -> None:
    assert steps(GAP.nodes) == [
        Step("Forward, 1 of 4: given: w (leaf).", (2,), ()),
        Step("Forward, 2 of 4: h (tanh), computed from w (leaf).", (1,), (1,)),
        Step("Forward, 3 of 4: loss (pow), computed from h (tanh).", (0,), (0,)),
        Step("Forward, 4 of 4: history (stack), computed from h (tanh).", (3,), (2,)),
        Step("Backward, 1 of 4: the way starts at loss (pow); it goes on to h (tanh).", (0,), (0,)),
        Step("Backward, 2 of 4: the way comes to h (tanh); its .grad is None; it goes on to w (leaf).", (1,), (1,)),
        Step("Backward, 3 of 4: the way comes to w (leaf); its .grad is filled.", (2,), ()),
        Step(
            "Backward, 4 of 4: the way does not come to history (stack); not reached from the loss; its .grad is None.",
            (3,),
            (3,),
        ),
    ]
    html = figure(GAP, "g", "after it")
    assert '<li data-nodes="1" data-edges="1">Forward, 2 of 4: h (tanh), computed from w (leaf).</li>' in html
    assert "<script" not in html


def test_the_way_back_is_told_where_it_ends_and_where_that_is_not_sure() -> None:
    nodes = (
        Node("loss", "add", "loss", None, (1, 2, 3), broken=(1,), unsure=(2,), unwalked=(3,)),
        Node("leaf", "leaf", "a", False, ()),
        Node("leaf", "leaf", "b", False, ()),
        Node("leaf", "leaf", "c", None, ()),
    )
    assert [step.text for step in steps(nodes)][2:] == [
        "Backward, 1 of 4: the way starts at loss (add); it is lost before a (leaf); "
        "perhaps it is lost before b (leaf); only values came from c (leaf).",
        "Backward, 2 of 4: the way does not come to a (leaf); its .grad is None.",
        "Backward, 3 of 4: the way does not come to b (leaf); its .grad is None.",
        "Backward, 4 of 4: the way does not come to c (leaf).",
    ]


def test_nodes_that_would_be_called_alike_are_counted() -> None:
    facts = Facts((Node("loss", "add", "loss", None, (1, 2)), *[Node("operation", "mul", "", None, ())] * 2))
    assert in_words(facts) == ["loss (add), made from mul no. 1, mul no. 2.", "mul no. 1.", "mul no. 2."]


def test_fifteen_nodes_are_drawn_and_sixteen_are_refused() -> None:
    chain = [Node("operation", "mul", "", None, (i + 1,)) for i in range(1, 14)]
    fifteen = (Node("loss", "pow", "loss", None, (1,)), *chain, Node("leaf", "leaf", "w", True, ()))
    assert svg(Facts(fifteen), "g", "after it").count("<g ") == 15
    sixteen = (*fifteen, Node("gap", "leaf", "v", False, (), "not reached from the loss"))
    with pytest.raises(TooLarge, match="the graph has 16 nodes, and a picture holds 15 at most"):
        svg(Facts(sixteen), "g", "after it")


def test_a_figure_holds_picture_caption_and_words_in_one_block_and_escapes_names() -> None:
    facts = Facts((Node("loss", "pow", "kept['<b>']", None, ()),))
    html = figure(facts, "g", "after it")
    assert "\n" not in html  # a blank line would end the block in Markdown
    assert "<b>" not in html
    assert "kept[&#x27;&lt;b&gt;&#x27;]" in html
    assert html.startswith('<figure class="gc-figure"><div class="gc-scroll"><svg class="gc-graph" role="img"')
    assert "<summary>The same graph in words</summary><ol><li>" in html


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[float], list[tuple[int, int]], frozenset[int]]:
    count = draw(st.integers(1, 15))
    widths = draw(st.lists(st.floats(20, 200), min_size=count, max_size=count))
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return widths, edges, draw(st.frozensets(st.integers(0, count - 1)))


@given(graphs())
def test_edges_go_down_and_nodes_keep_apart(graph: tuple[list[float], list[tuple[int, int]], frozenset[int]]) -> None:
    widths, edges, right = graph
    placed = place(widths, edges, right)
    assert all(placed.layer[upper] < placed.layer[lower] for upper, lower in edges)
    for layer in set(placed.layer[: len(widths)]):
        row = sorted((placed.x[i], widths[i]) for i in range(len(widths)) if placed.layer[i] == layer)
        for (x0, w0), (x1, w1) in pairwise(row):
            assert x1 - x0 >= (w0 + w1) / 2 + 21.8  # rounding costs a little of the 22
    assert all(
        [depth for _, depth in route] == list(range(route[0][1], route[-1][1] + 1)) for route in placed.routes.values()
    )
    for x, width in zip(placed.x, widths, strict=False):
        assert x - width / 2 >= -0.1
        assert x + width / 2 <= placed.width + 0.1
    assert place(widths, edges, right) == placed


def test_a_circle_has_no_layers() -> None:
    with pytest.raises(ValueError, match="circle"):
        place([10, 10], [(0, 1), (1, 0)], frozenset())
