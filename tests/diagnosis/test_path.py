"""The path of a diagnosis: what leads from the loss back to the tensor, where it breaks, and that it stays small."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradclinic import diagnose, trace
from gradclinic.diagnosis.diagnosis import Diagnosis
from gradclinic.diagnosis.graph import walked
from gradclinic.diagnosis.record.rows import SOURCE, TRACKED_IN, TRACKED_OUT, Rows, pack
from gradclinic.diagnosis.tell.layout import place
from gradclinic.diagnosis.tell.way import between

Told = list[tuple[str, str, tuple[int, ...], tuple[int, ...]]]


def told(answer: Diagnosis) -> Told:
    """Of each node its kind, its name or description without the place, what it came from, and which way is broken."""
    assert answer.path is not None
    nodes = answer.path.nodes
    return [(n.kind, n.name or n.what, n.to, n.broken) for n in nodes]


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_a_detach_is_a_broken_step_between_the_loss_and_the_leaf() -> None:
    w, v = leaf(1.0, 2.0), leaf(3.0, 4.0)
    with trace():
        loss = ((w * 2).detach() * v).sum()
    loss.backward()
    answer = diagnose(w, loss)
    assert told(answer) == [
        ("loss", "loss", (1,), ()),
        ("operation", "mul", (2,), ()),
        ("operation", "detach", (3,), (3,)),
        ("operation", "mul", (4,), ()),
        ("leaf", "leaf of shape (2,), float32", (), ()),
    ]
    assert answer.path is not None
    assert answer.path.nodes[2].missing == "the history ends here"
    assert answer.path.nodes[0].unwalked == ()
    assert answer.path.nodes[1].unwalked == (2,)  # the values came this way, and backward() does not go it


def test_two_branches_and_both_their_cuts_are_kept() -> None:
    w = leaf(1.0)
    with trace():
        y = w * 2
        loss = (y.detach() + y.data + leaf(1.0)).sum()
    nodes = told(diagnose(w, loss))
    assert [name for _, name, _, broken in nodes if broken] == [".data", "detach"]
    assert len(nodes) == 7


def test_a_number_that_comes_back_is_a_broken_step_as_well() -> None:
    w, v = leaf(2.0), leaf(3.0)
    with trace():
        loss = (v * (w * w).sum().item()).sum()
    loss.backward()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert [(node.name, node.missing, node.broken, node.unwalked) for node in answer.path.nodes] == [
        ("loss", "", (), ()),
        ("mul", "the value came back here", (), (2,)),
        ("(w * w).sum().item()", "the value left PyTorch here", (3,), ()),
        ("sum", "", (), (4,)),
        ("mul", "", (), (5,)),
        ("leaf of shape (1,), float32", "", (), ()),
    ]


def test_a_way_back_that_is_only_likely_is_drawn_as_such() -> None:
    w, v = leaf(2.0), leaf(3.0)
    with trace():
        number = (w * w).sum().item()
        loss = (v * torch.tensor([number * 2 + 1])).sum()
    answer = diagnose(w, loss)
    assert answer.certainty == "likely"
    assert answer.path is not None
    back, left = answer.path.nodes[2:4]
    assert (back.name, back.missing, back.broken, back.unsure) == ("tensor", "it likely came back here", (), (3,))
    assert (left.missing, left.broken, left.unsure) == ("the value left PyTorch here", (4,), ())
    drawn = answer._repr_html_()
    assert drawn.count('class="gc-doubt"') == 1
    assert drawn.count('class="gc-cross"') == 1
    assert "\n  -? (w * w).sum().item()" in str(answer)


def test_what_nothing_leads_to_stands_apart() -> None:
    w, v = leaf(1.0), leaf(2.0)
    with trace():
        loss = (w * 2).sum()
        loss = (v * 3).sum()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert answer.path.nodes[-1].kind == "gap"
    assert answer.path.nodes[0].broken == ()


def test_of_a_tensor_that_the_trace_did_not_see_used_nothing_is_claimed() -> None:
    """It may have been used in another thread, by a ScriptModule, or before the trace."""
    w, v = leaf(1.0), leaf(2.0)
    made: list[torch.Tensor] = []
    with trace():
        thread = threading.Thread(target=lambda: made.append((w * 2).detach()))
        thread.start()
        thread.join()
        loss = (made[0] * v).sum()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert [node.missing for node in answer.path.nodes] == ["", "", "not reached; where it is lost is not known"]
    assert 'class="gc-cross"' not in answer._repr_html_()


def test_a_way_that_only_the_graph_shows_is_lit() -> None:
    w = leaf(1.0, 2.0)
    hidden: list[torch.Tensor] = []
    with trace():
        thread = threading.Thread(target=lambda: hidden.append(w * 2))
        thread.start()
        thread.join()
        loss = hidden[0].sum()
        (w + 1).sum()  # so that the trace has met it
    loss.backward()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert [(node.kind, node.what) for node in answer.path.nodes] == [
        ("loss", answer.path.nodes[0].what),
        ("fold", "not seen by the trace"),
        ("leaf", "leaf"),
    ]
    assert not any(node.broken or node.unsure or node.unwalked for node in answer.path.nodes)


def test_a_cut_beside_a_healthy_way_is_not_drawn() -> None:
    w = leaf(1.0, 2.0)
    with trace():
        y = w * 3
        loss = (y + (y.round() - y).detach()).pow(2).sum()
    loss.backward()
    answer = diagnose(w, loss)
    assert answer.ok
    assert answer.path is not None
    assert not any(node.broken or node.unwalked or node.missing for node in answer.path.nodes)


def test_a_write_without_history_is_a_step_of_its_own() -> None:
    w, v = leaf(1.0, 2.0), leaf(1.0, 2.0)
    with trace():
        v.data.copy_(w * 2)
        loss = (v * 3).sum()
    loss.backward()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert [(node.name, node.missing, node.broken) for node in answer.path.nodes[1:3]] == [
        ("mul", "uses what was written", ()),
        ("v.data.copy_(w * 2)", "written, without history", (3,)),
    ]


def test_a_flag_that_came_late_breaks_the_way_at_the_first_use() -> None:
    w, v = torch.ones(2), leaf(1.0, 1.0)
    with trace():
        y = w * 2
        w.requires_grad_()
        loss = (y * v).sum()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert [(node.missing, node.broken) for node in answer.path.nodes] == [
        ("", ()),
        ("", ()),
        ("used before requires_grad was on", (3,)),
        ("", ()),
    ]


def test_what_was_changed_after_its_use_stands_beside_the_way() -> None:
    w = leaf(1.0, 2.0)
    with trace():
        y = w * 2
        y.retain_grad()
        loss = (y + 1).sum()
        y.add_(1)
        loss.backward()
    answer = diagnose(y, loss)
    assert answer.path is not None
    assert [(node.kind, node.missing, node.to) for node in answer.path.nodes] == [
        ("loss", "", (1,)),
        ("operation", "", (2,)),
        ("operation", "", ()),
        ("gap", "changed after the loss had used it", (2,)),
    ]


class _Silent(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, grads[0]


def test_a_function_that_returns_none_breaks_the_way_at_itself_and_not_inside() -> None:
    w, v = leaf(1.0, 2.0), leaf(1.0, 2.0)
    with trace():
        loss = _Silent.apply(w * 2, v).sum()  # type: ignore[no-untyped-call]
        loss.backward()
        answer = diagnose(w, loss)
    assert answer.path is not None
    assert [(node.name, node.missing, node.broken) for node in answer.path.nodes] == [
        ("loss", "", ()),
        ("apply", "its backward returned None", (2,)),
        ("mul", "", ()),
        ("leaf of shape (2,), float32", "", ()),
    ]


def test_a_derivative_that_is_zero_is_named_and_the_way_is_whole() -> None:
    w = leaf(1.2, 3.4)
    with trace():
        loss = (w * 2).round().sum()
    loss.backward()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert [(node.name, node.missing) for node in answer.path.nodes[1:3]] == [
        ("round", "the derivative is zero here"),
        ("mul", ""),
    ]
    assert not any(node.broken or node.unwalked for node in answer.path.nodes)


def test_a_loop_that_cuts_at_one_line_shows_that_line_once() -> None:
    w, v = leaf(1.0), leaf(2.0)
    with trace():
        total = v
        for step in range(100):
            total = total + (w * step).detach()
        loss = total.sum()
    loss.backward()
    answer = diagnose(w, loss)
    assert answer.path is not None
    shown = [node for node in answer.path.nodes if node.broken]
    assert [node.name for node in shown if node.kind == "operation"] == ["detach"]
    assert "99 cuts among them" in " ".join(node.what for node in answer.path.nodes)
    assert len(answer.path.nodes) <= 6


def test_a_loop_is_one_fold_that_says_what_is_in_it() -> None:
    w, v = leaf(1.0), leaf(2.0)
    with trace():
        h = torch.zeros(1)
        for _ in range(500):
            h = torch.tanh(h * w + v)
        loss = h.detach().sum() + v.sum()
    answer = diagnose(w, loss)
    assert answer.path is not None
    folds = [(node.name, node.what) for node in answer.path.nodes if node.kind == "fold"]
    assert folds == [("1500 operations", "mul ×500, add ×500, tanh ×500")]
    assert [node.kind for node in answer.path.nodes] == ["loss", "operation", "operation", "fold", "leaf"]


def test_without_a_trace_a_short_way_is_named_and_a_long_one_folded() -> None:
    w = leaf(1.0, 2.0)
    loss = (w * 2).exp().sum()
    assert [name for _, name, _, _ in told(diagnose(w, loss))] == ["loss", "exp", "mul", "leaf of shape (2,), float32"]
    for _ in range(300):
        loss = loss * 1.01
    long = told(diagnose(w, loss))
    assert [name for _, name, _, _ in long] == ["loss", "the operations between", "leaf of shape (2,), float32"]


def test_the_report_of_a_module_shows_the_way_of_the_first_parameter_that_lost_its_gradient() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    with trace():
        loss = model[1](model[0](torch.ones(1, 2)).detach()).sum()
    loss.backward()
    assert told(diagnose(model, loss))[-1][1] == "0.weight"
    assert "detach  test_path.py" in str(diagnose(model, loss))
    assert "\n  -✗ linear" in str(diagnose(model, loss))


def test_json_holds_the_nodes() -> None:
    w = leaf(1.0)
    with trace():
        loss = w.detach().sum()
    nodes = json.loads(diagnose(w, loss).json())["path"]
    assert [node["kind"] for node in nodes] == ["loss", "operation", "leaf"]
    assert nodes[1]["broken"] == [2]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Rows, int]:
    """Rows of a made-up run: the first is the tensor, the last the loss; many are cuts."""
    rows = Rows()
    rows.add(pack(SOURCE | TRACKED_OUT, 0, 0, 0, 0), [])
    count = draw(st.integers(2, 120))
    near = draw(st.integers(1, 8))
    for row in range(2, count + 1):
        inputs = draw(st.lists(st.integers(max(1, row - near), row - 1), min_size=1, max_size=3))
        cut = draw(st.sampled_from([0, 0, 0, 1]))
        rows.add(pack(TRACKED_IN | TRACKED_OUT, cut, 0, 0, row), [one << 1 | 1 for one in inputs])
    return rows, count


@settings(deadline=None, max_examples=100)
@given(graphs())
def test_a_path_has_at_most_30_nodes_no_circle_and_both_ends(made: tuple[Rows, int]) -> None:
    rows, last = made
    cut = [row for row in range(1, last + 1) if rows.get(row)[0] >> 8 & 15]
    way = between(rows, [1], [last], (), 30, cut)
    groups = [tuple(group.tolist()) for group in way.groups]
    members = [row for group in groups for row in group]
    ancestors = _ancestors(rows, last)
    assert len(groups) <= 30
    assert sorted(members) == sorted(row for row in ancestors if row == 1 or 1 in _ancestors(rows, row))
    assert all(early < late for early, late in way.edges)  # so there is no circle
    assert (1,) in groups
    assert (last,) in groups
    place([1.0] * len(way.groups), [(late, early) for early, late in way.edges], frozenset())
    cuts = [row for row in members if rows.get(row)[0] >> 8 & 15]
    if len(cuts) <= 10:
        assert all((row,) in groups for row in cuts)


def _ancestors(rows: Rows, start: int) -> set[int]:
    found, todo = {start}, [start]
    while todo:
        for value in rows.get(todo.pop())[1]:
            if value >> 1 not in found:
                found.add(value >> 1)
                todo.append(value >> 1)
    return found


@pytest.mark.parametrize("wide", [5, 200])
def test_a_weight_that_every_step_uses_is_no_tangle(wide: int) -> None:
    w = leaf(1.0)
    with trace():
        parts = [w * n for n in range(wide)]
        loss = torch.stack(parts).sum()
    answer = diagnose(w, loss)
    assert answer.path is not None
    assert len(answer.path.nodes) <= 30
    assert answer.path.nodes[-1].kind == "leaf"


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(["mul", "add", "detach", "item", "tanh"]), st.integers(0, 6), st.integers(0, 6)),
        max_size=70,
    )
)
def test_any_program_has_a_picture_of_at_most_30_nodes_that_does_not_claim_more_than_the_graph(
    steps: list[tuple[str, int, int]],
) -> None:
    w, v = leaf(0.5), leaf(1.5)
    made = [w, v]
    with trace():
        for kind, one, other in steps:
            a, b = made[-1 - one % len(made)], made[-1 - other % len(made)]
            if kind == "item":
                made.append(v * a.sum().item())
            else:
                made.append({"mul": a * b, "add": a + b, "tanh": a.tanh()}.get(kind, a.detach()))
        loss = (made[-1] + v).sum()
    loss.backward()
    answer = diagnose(w, loss)
    assert answer.path is not None
    nodes = answer.path.nodes
    assert len(nodes) <= 30
    asked = next(i for i, node in enumerate(nodes) if node.name.startswith("leaf of shape"))
    assert (asked in walked(nodes)) == (w.grad is not None)
    assert (
        any(node.broken or node.unsure or node.open for node in nodes) or w.grad is not None or answer.cause is not None
    )
    assert max(map(len, str(answer).splitlines())) <= 80
    answer._repr_html_()
