"""The ways from a tensor to the loss, against a walk that follows every edge anew."""

from __future__ import annotations

import random

import pytest
import torch

from gradclinic.diagnosis.decide.history import History
from gradclinic.diagnosis.trace import trace


def walked(history: History, begin: set[int], without: frozenset[str]) -> tuple[set[int], set[int], bool]:
    """What is passed, where it is cut, and whether the loss is met."""
    passed, cuts, queue = set(begin), set(), list(begin)
    while queue:
        for op, tracked in history.users.get(queue.pop(), ()):
            if op.name in without or op.index in passed or not tracked:
                continue
            if op.cut:
                cuts.add(op.index)
            elif op.tracked_out:
                passed.add(op.index)
                queue.append(op.index)
    return passed, cuts, bool(passed & set(history.starts))


@pytest.mark.parametrize("seed", range(20))
def test_a_way_is_what_a_walk_finds(seed: int) -> None:
    chosen = random.Random(seed)
    with trace() as seen:
        leaves = [torch.ones(2, requires_grad=True) for _ in range(4)]
        values = list(leaves)
        for _ in range(40):
            first, second = chosen.choices(values[-8:], k=2)
            kind = chosen.randrange(8)
            if kind == 0:
                values.append(first.detach())
            elif kind == 1:
                values.append(first.round())
            elif kind == 2:
                values.append((first > second).float())
            else:
                values.append(first * second + 1)
        loss = sum(chosen.choices(values, k=4), torch.zeros(2)).sum()
    history = History.of(seen, [loss])
    for leaf in leaves:
        states = seen.states(leaf)
        begin = {one.index for one in states if one in history}
        for without in (frozenset[str](), frozenset({"round"})):
            way = history.way(states, without)
            passed, cuts, arrives = walked(history, begin, without)
            assert (set(way.steps), {op.index for op in way.cuts}, way.arrives) == (passed, cuts, arrives)
            assert way.used == bool(cuts or passed - begin or passed & set(history.starts))
