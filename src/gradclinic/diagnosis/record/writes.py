"""Writes in place: to a tensor, to its gradient, to what shares its memory, and through `.data`."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import rows as columns
from .handed import weakly
from .names import Kind, Role
from .views import Note, Ref

if TYPE_CHECKING:
    from .recorder import Recorder


class Writes:
    """Keeps the log. Tells a new state of a tensor from an edit unseen by autograd, and from a cleared gradient."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._trace = recorder.trace
        self._gradients: dict[int, weakref.ref[torch.Tensor]] = {}
        self._most_gradients = 1_000
        self._aliases: dict[int, tuple[weakref.ref[torch.Tensor], weakref.ref[torch.Tensor]]] = {}

    def note(self, kind: str, target: Any, site: int, **facts: Any) -> Note:
        trace = self._trace
        made = self._new(kind, None if target is None else weakly(target), site, facts)
        trace.log.append(made)
        if len(trace.log) > trace.MOST_NOTES:
            trace.log.popleft()
            trace.lost_notes += 1
        return made

    def _new(self, kind: str, target: Any, site: int, facts: dict[str, Any]) -> Note:
        trace = self._trace
        trace.counted_notes += 1
        word = columns.pack(0, 0, 0, self._recorder.module, site)
        return Note(kind, trace.rows.end, trace.counted_notes, word, target, facts)

    # ---- gradients

    def _owns(self, tensor: torch.Tensor, gradient: torch.Tensor) -> None:
        """Remembers whose gradient this is; whether it still is, is asked when it is written to."""
        known = self._trace.made.get(id(tensor))
        self._gradients[id(gradient)] = known if known is not None and known() is tensor else weakref.ref(tensor)
        if len(self._gradients) > self._most_gradients:
            self._gradients = {key: ref for key, ref in self._gradients.items() if id(_gradient(ref())) == key}
            self._most_gradients = 2 * len(self._gradients) + 1_000

    def _owner(self, gradient: torch.Tensor) -> torch.Tensor | None:
        """The tensor whose `.grad` this is."""
        ref = self._gradients.get(id(gradient))
        owner = ref() if ref is not None else None
        return owner if _gradient(owner) is gradient else None

    def _clear(self, tensor: torch.Tensor, how: str, site: int) -> None:
        self._trace.cleared[id(tensor)] = self._new("grad_cleared", weakref.ref(tensor), site, {"how": how})

    # ---- writes

    def _set_data(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        given = args[1] if len(args) > 1 else None
        value = None
        if isinstance(given, torch.Tensor):
            value = self._recorder.ref_of(given, site).row << 1 | given.requires_grad
        return site, torch.is_grad_enabled(), args[0].requires_grad, value

    def _set_data_done(self, note: Any, args: Sequence[Any]) -> None:
        site, grad_mode, tracked, value = note
        target = args[0]
        if tracked:
            rows = () if value is None else (value >> 1,)
            self._edited(target, "data", site, grad_mode, "data", rows)
        elif value is not None:
            old = self._recorder.ref_of(target, site).row
            kind = Kind("data", Role.OP)
            self._recorder.record(kind, [old << 1, value], site, grad_mode, [target], None, True)

    def alias(self, made: torch.Tensor, of: torch.Tensor) -> None:
        """`made` shares the memory of `of` behind autograd's back."""
        self._aliases[id(made)] = weakref.ref(made), weakref.ref(of)
        if len(self._aliases) > 2 * len(self._trace.made) + 1_000:
            self._aliases = {key: pair for key, pair in self._aliases.items() if pair[0]() is not None}

    def written(
        self, kind: Kind, target: torch.Tensor, inputs: list[int], site: int, grad_mode: bool, numbers: Any
    ) -> None:
        """An operation has written to `target`, in place."""
        if kind.name in ("zero_", "_foreach_zero_") and (owner := self._owner(target)) is not None:
            self._clear(owner, "zero_", site)
            return
        self._gradient_written(target, site)
        me = self._recorder.ref_of(target, site).row
        others = [value for value in inputs if value >> 1 != me]
        rows = tuple(value >> 1 for value in others)
        pair = self._aliases.get(id(target))
        if pair is not None and pair[0]() is target and (owner := pair[1]()) is not None:
            through = "data" if self._name(target) == "data" else "detach"
            self._edited(owner, kind.name, site, grad_mode, through, rows)
        tracked = target.requires_grad
        if tracked and grad_mode and target.is_leaf:
            return  # nn.init, which switches gradients off by itself
        if tracked and not grad_mode and kind.name != "detach_":
            self._edited(target, kind.name, site, grad_mode, "", rows)  # autograd records nothing: its maker stays
            return
        if not others and not numbers and not tracked and kind.name != "detach_":
            return
        own = next((value for value in inputs if value >> 1 == me), me << 1)
        self._recorder.record(kind, [own, *others], site, grad_mode, [target], numbers, True)
        if target._is_view():
            self._base_written(kind, target, site, grad_mode)

    def _gradient_written(self, target: torch.Tensor, site: int) -> None:
        """A gradient, or its `.data`, was written to: what it held before is gone or changed."""
        alias = self._aliases.get(id(target))
        of = alias[1]() if alias is not None and alias[0]() is target else target
        if of is not None and (owner := self._owner(of)) is not None:
            self._clear(owner, "written", site)

    def _base_written(self, kind: Kind, view: torch.Tensor, site: int, grad_mode: bool) -> None:
        base = view._base
        if base is None or (known := self._trace.made.get(id(base))) is None or known() is not base:
            return  # linear() and the like give views of tensors that nobody else can reach
        made = self._recorder.ref_of(view, site).row << 1 | view.requires_grad
        old = self._recorder.ref_of(base, site).row << 1 | base.requires_grad
        self._recorder.record(kind, [old, made], site, grad_mode, [base], None, True)

    def _edited(
        self, target: torch.Tensor, op: str, site: int, grad_mode: bool, through: str, rows: tuple[int, ...]
    ) -> None:
        self.note("edited", target, site, op=op, grad_mode=grad_mode, through=through, input_rows=rows)

    def _name(self, tensor: torch.Tensor) -> str:
        ref: Ref | None = self._trace.made.get(id(tensor))
        return self._trace.names[columns.name_of(self._trace.rows.get(ref.row)[0])] if ref is not None else ""


def _gradient(owner: torch.Tensor | None) -> torch.Tensor | None:
    """Its `.grad`, where reading that gives no warning."""
    return owner.grad if owner is not None and (owner.is_leaf or owner.retains_grad) else None
