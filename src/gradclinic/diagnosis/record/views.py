"""What a trace is asked about: an operation, a source, an event, as they are seen from outside."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import torch

from . import rows as columns
from .rows import CUTS
from .site import Site

if TYPE_CHECKING:
    from .ledger import Trace


class Ref(weakref.ref[torch.Tensor]):
    """A living tensor's row, and whether an operation has used it while it did not require grad."""

    __slots__ = ("row", "used")
    row: int
    used: bool


@dataclass(frozen=True)
class Source:
    """A tensor that the trace did not see made; `kind` and `site` are those of the moment when it was first used.

    kind: `leaf` requires grad; `constant` does not, whatever it came from; `unknown` has a history that was not seen
    (a ScriptModule's, another thread's, one from before the trace, or one that was dropped).
    """

    index: int
    kind: Literal["leaf", "constant", "unknown"]
    tensor_ref: weakref.ref[torch.Tensor] | None = field(compare=False)
    site: Site = field(compare=False, repr=False)

    @property
    def tensor(self) -> torch.Tensor | None:
        return self.tensor_ref() if self.tensor_ref is not None else None


class Op:
    """A view of one recorded operation. Two views of the same row are equal."""

    def __init__(self, trace: Trace, index: int) -> None:
        self.index = index
        self._trace = trace
        self._word, self._inputs = trace.rows.get(index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Op) and other.index == self.index and other._trace is self._trace

    def __hash__(self) -> int:
        return hash(self.index)

    def __repr__(self) -> str:
        return f"Op({self.index}, {self.name!r}, line {self.site.line}{f', cut={self.cut!r}' if self.cut else ''})"

    @property
    def name(self) -> str:
        return self._trace.names[columns.name_of(self._word)].partition(":")[0]

    @property
    def detail(self) -> str:
        """The class of an autograd.Function; else empty."""
        return self._trace.names[columns.name_of(self._word)].partition(":")[2]

    @cached_property
    def site(self) -> Site:
        return self._trace.site_of(self._word)

    @property
    def place(self) -> int:
        """The number of its site: equal numbers are equal places, and no source needs to be read for it."""
        return columns.site_of(self._word)

    @property
    def inputs(self) -> tuple[Op | Source, ...]:
        """What its tensor arguments were at that time; of folded history, its cuts and sources."""
        return tuple(self._trace.view(value >> 1) for value in self._inputs)

    @property
    def inputs_tracked(self) -> tuple[bool, ...]:
        """For each input whether it required grad at that time."""
        return tuple(bool(value & 1) for value in self._inputs)

    tracked_in = property(lambda self: bool(self._word & columns.TRACKED_IN))
    tracked_out = property(lambda self: bool(self._word & columns.TRACKED_OUT))
    grad_mode = property(lambda self: bool(self._word & columns.GRAD_MODE))
    inference = property(lambda self: bool(self._word & columns.INFERENCE))
    in_place = property(lambda self: bool(self._word & columns.IN_PLACE))

    @property
    def cut(self) -> str | None:
        """The cause, if a tracked input went in and an untracked tensor or a fresh leaf came out."""
        return CUTS[columns.cut_of(self._word)]


@dataclass(frozen=True)
class Event:
    """Something that happened besides the operations; those with a smaller index were before it.

    order: counts the events themselves, so that two with no operation between them have an order, too.
    """

    kind: str
    index: int
    order: int
    site: Site = field(repr=False)
    target: weakref.ref[Any] | None
    facts: dict[str, Any]


@dataclass(frozen=True)
class Reentry:
    """An operation that took in a number, an array, or nothing, after a value had left PyTorch.

    proved: it took the very object that was handed out.
    """

    op: Op | Source
    proved: bool


@dataclass
class Note:
    """An event as it is stored."""

    kind: str
    index: int
    order: int
    word: int
    target: weakref.ref[Any] | None
    facts: dict[str, Any]
