"""What a trace notes besides operations: backward, flags, reads of `.grad`, writes in place, values that leave."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import rows as columns
from .names import Kind, Role
from .site import USER
from .views import Note
from .writes import Writes

if TYPE_CHECKING:
    from .recorder import Recorder

_GRAD = Kind("grad", Role.OP)


class Happenings(Writes):
    """The other half of the recorder: one method for each kind of thing that is no plain operation."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._held: dict[frozenset[int], frozenset[int]] = {}
        self.in_backward = False
        self._before: dict[Role, Callable[..., Any]] = {
            Role.BACKWARD: self._backward,
            Role.FUNCTIONAL: self._functional,
            Role.FLAG: self._flag,
            Role.SET_FLAG: self._flag,
            Role.LEAVES: self._leaves,
            Role.GRAD: self._read,
            Role.SET_GRAD: self._set_grad,
            Role.SET_DATA: self._set_data,
            Role.RETAIN: self._simple,
            Role.HOOK: self._simple,
            Role.GRAD_MODE: self._grad_mode,
        }

    # ---- around the call

    def before(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        return self._before[kind.role](kind, args, kwargs, site, frame)

    def after(self, kind: Kind, note: Any, args: Sequence[Any], result: Any) -> None:
        if kind.role is Role.BACKWARD:
            self.in_backward = False
            self._recorder.backward_done()
            self.tell("backward", None, columns.site_of(note.word))
        elif kind.role is Role.FUNCTIONAL:
            self._functional_done(note, result)
        elif kind.role is Role.LEAVES:
            self._recorder.handed.add(result, note.index)
        elif kind.role is Role.GRAD:
            self._read_done(note, args[0], result)
        elif kind.role is Role.SET_DATA:
            self._set_data_done(note, args)

    def raised(self, kind: Kind, note: Any, error: BaseException) -> None:
        if isinstance(note, Note):
            note.facts["raised"] = f"{type(error).__name__}: {error}"
            if kind.role is Role.BACKWARD:
                self.in_backward = False
                self._recorder.backward_done()

    def tell(self, what: str, subject: Any, site: int) -> None:
        """Tells those who listen; what they do is not recorded."""
        self._recorder.silent += 1
        try:
            for listener in self._trace.listeners:
                listener(what, subject, site)
        except Exception as error:
            self._recorder.failed(error)
        finally:
            self._recorder.silent -= 1

    # ---- backward

    def _backward(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Note | None:
        if self.in_backward:  # Tensor.backward goes on to torch.autograd.backward: one pass, one event
            return None
        roots = [one for one in _listed(args[0] if args else kwargs.get("tensors")) if isinstance(one, torch.Tensor)]
        given = (
            dict(zip(("tensors", "gradient", "retain_graph", "create_graph", "inputs"), args, strict=False)) | kwargs
        )
        inputs = given.get("inputs")
        note = self.note(
            "backward",
            roots[0] if roots else None,
            site,
            roots=tuple(weakref.ref(root) for root in roots),
            root_rows=tuple(self._recorder.ref_of(root, site).row for root in roots),
            retain_graph=bool(given.get("retain_graph") or given.get("create_graph")),
            create_graph=bool(given.get("create_graph")),
            inputs=None if inputs is None else tuple(weakref.ref(one) for one in _listed(inputs) if _is_tensor(one)),
            raised=None,
        )
        self.in_backward = True
        return note

    def _functional(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        names = ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs", "allow_unused")
        given = dict(zip(names, args, strict=False)) | kwargs
        outputs = [one for one in _listed(given.get("outputs")) if _is_tensor(one)]
        inputs = [one for one in _listed(given.get("inputs")) if _is_tensor(one)]
        refs = [self._recorder.ref_of(one, site) for one in (*outputs, *inputs)]
        return self.note(
            "autograd_grad",
            inputs[0] if inputs else None,
            site,
            outputs=tuple(weakref.ref(one) for one in outputs),
            inputs=tuple(weakref.ref(one) for one in inputs),
            root_rows=tuple(ref.row for ref in refs[: len(outputs)]),
            allow_unused=bool(given.get("allow_unused") or given.get("materialize_grads")),
            materialize=bool(given.get("materialize_grads")),
            retain_graph=bool(given.get("retain_graph") or given.get("create_graph")),
            create_graph=bool(given.get("create_graph")),
            raised=None,
            none=(),
            rows=tuple(ref.row << 1 | 1 for ref in refs),
        )

    def _functional_done(self, note: Note, result: Any) -> None:
        note.facts["none"] = tuple(one is None for one in _listed(result))
        inputs = list(note.facts.pop("rows"))
        made = [one for one in _listed(result) if _is_tensor(one)]
        if made:
            kind = Kind("autograd.grad", Role.OP)
            self._recorder.record(kind, inputs, columns.site_of(note.word), torch.is_grad_enabled(), made)
        self._recorder.backward_done()

    def stepping(self, optimizer: torch.optim.Optimizer, site: int) -> None:
        """An optimizer is about to step; what it holds is noted by ids, one set for all steps alike."""
        held = frozenset(id(one) for group in optimizer.param_groups for one in group["params"])
        held = self._held.setdefault(held, held) if len(self._held) < 100 else held
        self.note("optimizer_step", optimizer, site, held=held)

    # ---- flags and hooks

    def _flag(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        tensor = args[0]
        on = bool(args[1] if len(args) > 1 else kwargs.get("requires_grad", True))
        ref = self._recorder.ref_of(tensor, site)
        before = tensor.requires_grad
        if on != before:
            used = bool(ref.used) and on
            return self.note("requires_grad", tensor, site, on=on, before=before, used_before=used, raised=None)
        return self.note("requires_grad_again", tensor, site, on=on)

    def _simple(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        self._recorder.ref_of(args[0], site)
        return self.note("retain_grad" if kind.role is Role.RETAIN else "hook", args[0], site, raised=None)

    def _grad_mode(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        on = bool(args[0])
        last = self._trace.log[-1] if self._trace.log else None
        if (
            last is not None
            and last.kind == "grad_mode"
            and last.facts["on"] != on
            and last.index == self._trace.rows.end
        ):
            self._trace.log.pop()  # switched off and on with nothing in between
            return None
        return self.note("grad_mode", None, site, on=on)

    # ---- values that leave

    def _leaves(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        tensor = args[0]
        row = self._recorder.ref_of(tensor, site).row
        return self.note("left_torch", tensor, site, how=kind.name, row=row, tracked=tensor.requires_grad, raised=None)

    # ---- shapes

    def compared(self, args: Sequence[Any], kwargs: dict[str, Any], result: Any, site: int) -> None:
        """Notes a comparison of (N, 1) with (N,), which compares each with each."""
        shapes = [tuple(one.shape) for one in (*args, *kwargs.values()) if isinstance(one, torch.Tensor)][:2]
        if len(shapes) == 2 and sorted(map(len, shapes)) == [1, 2]:
            short, long = sorted(shapes, key=len)
            reduced = isinstance(result, torch.Tensor) and (result.dim() == 0 or tuple(result.shape) == short * 2)
            if short[0] > 1 and long == (short[0], 1) and reduced:
                row = self._recorder.ref_of(result, site).row
                self.note("broadcast", None, site, row=row, shapes=tuple(shapes))

    # ---- .grad

    def read_by_torch(self, tensor: torch.Tensor, result: torch.Tensor | None) -> torch.Tensor | None:
        """An optimizer, zero_grad or a clipping reads it: no event, but a later `zero_` will clear a gradient."""
        if result is not None:
            self._owns(tensor, result)
        return result

    def _read(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        """Noted when the user's own line reads it."""
        direct = self._trace.places.kind(frame.f_code) == USER
        return self.note("grad_read", args[0], site, none=True) if direct else ()

    def _read_done(self, note: Note | tuple[()], tensor: torch.Tensor, result: torch.Tensor | None) -> None:
        if result is None:
            if isinstance(note, Note):
                self.tell("none_read", tensor, columns.site_of(note.word))
            return
        self._owns(tensor, result)
        if not isinstance(note, Note):
            return
        note.facts["none"] = False
        made = self._trace.made.get(id(result))
        if made is None or made() is not result:
            site = columns.site_of(note.word)
            row = self._recorder.ref_of(tensor, site).row
            self._recorder.record(_GRAD, [row << 1 | 1], site, torch.is_grad_enabled(), [result])

    def _set_grad(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        tensor, none = args[0], len(args) < 2 or args[1] is None
        if not none or ((tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None):
            self._clear(tensor, "None" if none else "assigned", site)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)
