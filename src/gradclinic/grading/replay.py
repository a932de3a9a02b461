"""Replays one call under the trace, and tells what happened to gradients as plain events with the learner's lines.

They explain a verdict and never make one: a plain run has decided before. It belongs to a throw-away child and small
graphs, so it keeps every tensor alive: an event says little about a tensor that is gone.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from gradclinic.diagnosis.diagnosis import Location
from gradclinic.diagnosis.record.site import HIDDEN, LIBRARY, USER, Site, kind_of_file
from gradclinic.diagnosis.record.views import Event, Op, Ref
from gradclinic.diagnosis.record.writer import tensors
from gradclinic.diagnosis.trace import trace
from gradclinic.grading.lineage import Lineage
from gradclinic.grading.second import Second
from gradclinic.grading.telling import Telling


class Replay:
    """`events()` are plain dicts in order; each has `op`, `at` and `line` (innermost line in the learner's file)."""

    def __init__(self, file: str, given: Any) -> None:
        self._file = os.path.normcase(file)
        self._given = {id(one) for one in tensors(given)}  # what was there before the call
        self._watching = trace()
        self._alive = _Alive()
        self._optimizers: list[Any] = []

    def __enter__(self) -> Replay:
        self._trace = self._watching.__enter__()
        self._trace.made = self._alive
        self._trace.places.kind_of = self._kind
        self._forget = register_optimizer_step_pre_hook(lambda one, *_: self._optimizers.append(one))
        return self

    def __exit__(self, *exc: object) -> None:
        self._forget.remove()
        self._watching.__exit__(*exc)

    def _kind(self, name: str) -> int:
        """The learner's file is the only one whose lines can be named, wherever it lies."""
        if os.path.normcase(name) == self._file:
            return USER
        return HIDDEN if kind_of_file(name) == HIDDEN else LIBRARY

    def _line(self, site: Site | Location | None) -> int | None:
        while site is not None and os.path.normcase(site.file) != self._file:
            site = site.called_from
        return site.line if site is not None else None

    def events(self) -> list[dict[str, Any]]:
        lineage = Lineage(self._trace, self._alive.tensors, self._given, self._line)
        second = Second(self._trace, self._line)
        telling = Telling(lineage, second, self._line, self._trace.events("requires_grad"))
        happened: list[Event | Op] = [*self._trace.events(), *self._trace.ops()]
        for one in sorted(happened, key=_moment):
            telling.tell(one)
        telling.conclude(self._alive.tensors)
        return telling.events


def _moment(one: Event | Op) -> tuple[int, int, int]:
    """The index of an event is that of the operation which came after it."""
    return (one.index, 1, 0) if isinstance(one, Op) else (one.index, 0, one.order)


class _Alive(dict[int, Ref]):
    """The trace's table of living tensors, which lets none die."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors: list[torch.Tensor] = []

    def __setitem__(self, key: int, ref: Ref) -> None:
        tensor = ref()
        assert tensor is not None
        self.tensors.append(tensor)
        super().__setitem__(key, ref)
