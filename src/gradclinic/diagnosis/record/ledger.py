"""What a trace knows: operations, sources and events, and the questions that can be asked about them.

    trace.maker(tensor)       the operation (or source) that gave the tensor its present state
    trace.ancestors(op)       what that came from, nearest first
    trace.events("backward")  what else happened, with `index` comparable to that of operations

Nothing in here keeps a user's tensor alive, except with `values=True`.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import torch

from . import rows as columns
from .names import BUILDERS, NUMBERS
from .rows import Rows
from .site import Places, Site
from .views import Event, Note, Op, Reentry, Ref, Source

_STAY = ("requires_grad", "retain_grad", "hook")  # while their tensor lives
_NUMBER_SOURCES = BUILDERS | NUMBERS | {"apply"}


class Trace:
    """What happened inside `with trace() as t`; it can be asked at any time, also afterwards."""

    MOST_OPS = 200_000
    MOST_NOTES = 20_000

    def __init__(self, values: bool = False) -> None:
        self.values = values
        self.dropped = 0
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.listeners: list[Callable[[str, Any, int], None]] = []  # what, about which object, at which place
        self.rows = Rows()
        self.places = Places()
        self.names: list[str] = [""]
        self.made: dict[int, Ref] = {}
        self.log: deque[Note] = deque()
        self.cleared: dict[int, Note] = {}  # the last clearing of each tensor's gradient
        self.modules: list[tuple[weakref.ref[torch.nn.Module], weakref.ref[torch.nn.Module]] | None] = [None]
        self.kept: dict[int, list[torch.Tensor]] = {}  # values=True: outputs of the kept rows
        self.fed: dict[int, dict[int, bool]] = {}  # row -> index of the `left_torch` event -> the same object
        self.lost_notes = 0
        self._sites: dict[int, Site] = {}  # by module and place: to look one up takes a walk through the modules
        self.counted_notes = 0
        self._by_row: tuple[tuple[int, int, int], dict[int, Ref]] = ((0, 0, 0), {})

    @property
    def complete(self) -> bool:
        """Whether everything that happened in the trace's thread is accounted for."""
        return not self.dropped and not self.failures and not self.lost_notes

    # ---- operations

    def maker(self, tensor: torch.Tensor) -> Op | Source | None:
        """What gave the tensor its present state; None if the trace never met it."""
        ref = self.made.get(id(tensor))
        return self.view(ref.row) if ref is not None and ref() is tensor else None

    def states(self, tensor: torch.Tensor) -> list[Op | Source]:
        """All recorded states of this tensor, oldest first: each in-place operation makes a new one."""
        found = []
        state = self.maker(tensor)
        while state is not None:
            found.append(state)
            state = state.inputs[0] if isinstance(state, Op) and state.in_place and state.inputs else None
        return found[::-1]

    def ancestors(self, start: Op | Source) -> Iterator[Op | Source]:
        """What it came from, nearest first, each once, `start` left out."""
        seen = {start.index}
        todo = deque([start.index])
        while todo:
            for value in self.rows.get(todo.popleft())[1]:
                row = value >> 1
                if row not in seen:
                    seen.add(row)
                    todo.append(row)
                    yield self.view(row)

    def ops(self) -> Iterator[Op]:
        """All operations that are kept, oldest first."""
        return (view for row in self.rows if isinstance(view := self.view(row), Op))

    def uses(self, made: Op | Source) -> list[Op]:
        """The operations that took it as an input."""
        wanted = (made.index << 1, made.index << 1 | 1)
        return [op for op in self.ops() if any(value in wanted for value in op._inputs)]

    def tensor(self, made: Op | Source) -> torch.Tensor | None:
        """A tensor that is in this state now, if one lives."""
        if kept := self.kept.get(made.index):
            return kept[0]
        found = (ref() for ref in list(self.made.values()) if ref.row == made.index)
        return next((tensor for tensor in found if tensor is not None), None)

    def inside_checkpoint(self, op: Op) -> bool:
        """Whether it ran in a reentrant checkpoint, which runs it once more, with gradients, in backward."""
        return bool(op._word & columns.CHECKPOINT)

    # ---- events

    def events(self, kind: str | None = None, tensor: object = None) -> list[Event]:
        """Oldest first; of the clearings of one tensor's gradient only the last is kept."""
        notes = sorted([*self.log, *self.cleared.values()], key=lambda note: note.order)
        return [
            self._event(note)
            for note in notes
            if kind in (None, note.kind) and (tensor is None or (note.target is not None and note.target() is tensor))
        ]

    def _event(self, note: Note) -> Event:
        facts = dict(note.facts)
        if "root_rows" in facts:
            facts["root_ops"] = tuple(self.view(row) for row in facts.pop("root_rows"))
        if "input_rows" in facts:
            facts["inputs"] = tuple(self.view(row) for row in facts.pop("input_rows"))
        if "row" in facts:
            facts["op"] = self.view(facts.pop("row"))
        return Event(note.kind, note.index, note.order, self.site_of(note.word), note.target, facts)

    def last_roots(self) -> list[torch.Tensor]:
        """The tensors that the last backward started from, as far as they live."""
        for note in reversed(self.log):
            if note.kind == "backward":
                return [root for ref in note.facts["roots"] if (root := ref()) is not None]
        return []

    def passes(self) -> list[tuple[torch.Tensor | None, ...]]:
        """What each backward started from, oldest first; None for a tensor that is gone."""
        return [tuple(ref() for ref in note.facts["roots"]) for note in self.log if note.kind == "backward"]

    def reentries(self, left: Event) -> list[Reentry]:
        """The later operations that may have taken its value in again: proved ones, then new tensors."""
        proved, likely = [], []
        for row in self.rows:
            if row < left.index:
                continue
            word, inputs = self.rows.get(row)
            if self.fed.get(row, {}).get(left.index):
                proved.append(Reentry(self.view(row), True))
            elif left.index in self.fed.get(row, {}) or (not inputs and self._takes_numbers(word)):
                likely.append(Reentry(self.view(row), False))
        return proved + likely

    def _takes_numbers(self, word: int) -> bool:
        if word & columns.SOURCE:  # torch.Tensor([...]) is no torch function
            return not word & (columns.TRACKED_IN | columns.TRACKED_OUT)  # nor a leaf, older than the trace
        return self.names[columns.name_of(word)].partition(":")[0] in _NUMBER_SOURCES

    # ---- views

    def view(self, row: int) -> Op | Source:
        word = self.rows.get(row)[0]
        if not word & columns.SOURCE:
            return Op(self, row)
        kind: Any = "leaf" if word & columns.TRACKED_OUT else "unknown" if word & columns.TRACKED_IN else "constant"
        row = row if self.rows.has(row) else 0
        ref = self._refs().get(row) if row else None
        return Source(row, kind, ref, self.site_of(word))

    def _refs(self) -> dict[int, Ref]:
        """The tensors by their rows; made anew when something has happened since the last question."""
        state = (self.rows.end, self.counted_notes, len(self.made))
        if self._by_row[0] != state:
            self._by_row = state, {ref.row: ref for ref in list(self.made.values())}
        return self._by_row[1]

    def site_of(self, word: int) -> Site:
        where = word >> columns._MODULE
        known = self._sites.get(where)
        if known is None:
            path = self._module_path(columns.module_of(word))
            known = self._sites[where] = self.places.site(columns.site_of(word), path)
        return known

    def _module_path(self, index: int) -> str:
        entry = self.modules[index]
        module, root = (entry[0](), entry[1]()) if entry is not None else (None, None)
        if module is None or root is None:
            return ""
        return next((name for name, one in root.named_modules() if one is module), "")

    # ---- growing and shrinking

    def alive(self) -> set[int]:
        """The rows of living tensors; forgets the dead ones."""
        dead = [key for key, ref in self.made.items() if ref() is None]
        for key in dead:
            del self.made[key]
        return {ref.row for ref in self.made.values()}

    def retire(self, until: int) -> None:
        """Folds what happened before the row `until`."""
        alive = self.alive()
        if until > self.rows.start:
            self.rows.retire(until, alive)
        self._prune(until)
        if len(self.rows) > self.MOST_OPS:
            self.dropped += self.rows.drop(len(self.rows) - self.MOST_OPS * 3 // 4, alive)

    def _prune(self, until: int) -> None:
        stay: dict[tuple[str, int, int], Note] = {}
        places: dict[tuple[str, int], Note] = {}
        recent: deque[Note] = deque()
        for note in self.log:
            if note.index >= until:
                recent.append(note)
            elif note.kind in _STAY and note.target is not None and note.target() is not None:
                stay[note.kind, id(note.target()), note.word] = note
            elif note.kind in ("left_torch", "grad_mode"):
                places[note.kind, note.word] = note
        older = sorted([*stay.values(), *places.values()], key=lambda note: note.order)
        self.log = deque([*older, *recent])
        while len(self.log) > self.MOST_NOTES:
            self.log.popleft()
            self.lost_notes += 1
        self.cleared = {key: note for key, note in self.cleared.items() if note.target and note.target() is not None}
        self.fed = {row: left for row, left in self.fed.items() if self.rows.has(row)}
        self.kept = {row: tensors for row, tensors in self.kept.items() if row >= until}


def intern(names: list[str], name: str, known: dict[str, int]) -> int:
    """The number of a name; 0 (empty) once the column has no room for another."""
    index = known.get(name)
    if index is None:
        if len(names) > 0xFFF:
            return 0
        index = known[name] = len(names)
        names.append(name)
    return index
