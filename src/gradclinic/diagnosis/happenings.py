"""What a trace notes besides operations: backward, flags, reads of `.grad`, writes in place, values that leave."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import rows as columns
from .ledger import Ref, _Note
from .names import Kind, Role
from .site import USER

if TYPE_CHECKING:
    from .recorder import Recorder

_GRAD = Kind("grad", Role.OP)


class Handed:
    """Numbers and arrays that torch has handed out, to be recognised when they come back as the very same object.

    A number is kept, so that its identity stays its own; an array is watched by a weak reference.
    """

    MOST = 1_000

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._kept)

    def add(self, value: Any, event: int) -> None:
        if isinstance(value, bool) or (isinstance(value, int) and -6 < value < 257):
            return  # Python has one object for each of these
        if isinstance(value, list):
            if len(value) > 64:
                return
            for one in value:
                self.add(one, event)
        keeper: Any = (lambda: value) if isinstance(value, int | float | complex | list) else _weak(value)
        if keeper is not None:
            self._kept[id(value)] = keeper, event
            while len(self._kept) > self.MOST:
                del self._kept[next(iter(self._kept))]

    def find(self, value: Any) -> int:
        """The index of the event that handed this object out, or an array that this one is a view of; 0: none."""
        for _ in range(8):
            known = self._kept.get(id(value))
            if known is not None and known[0]() is value:
                return known[1]
            value = getattr(value, "base", None)
            if value is None:
                break
        return 0


def _weak(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:
        return None


class Happenings:
    """The other half of the recorder: one method for each kind of thing that is no plain operation."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._trace = recorder.trace
        self.handed = Handed()
        self._gradients: dict[int, tuple[weakref.ref[torch.Tensor], weakref.ref[torch.Tensor]]] = {}
        self._aliases: dict[int, tuple[weakref.ref[torch.Tensor], weakref.ref[torch.Tensor]]] = {}
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
            self.handed.add(result, note.index)
        elif kind.role is Role.GRAD:
            self._read_done(note, args[0], result)
        elif kind.role is Role.SET_DATA:
            self._set_data_done(note, args)

    def raised(self, kind: Kind, note: Any, error: BaseException) -> None:
        if isinstance(note, _Note):
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

    def note(self, kind: str, target: Any, site: int, **facts: Any) -> _Note:
        trace = self._trace
        made = self._new(kind, None if target is None else _weak(target), site, facts)
        trace.log.append(made)
        if len(trace.log) > trace.MOST_NOTES:
            trace.log.popleft()
            trace.lost_notes += 1
        return made

    def _new(self, kind: str, target: Any, site: int, facts: dict[str, Any]) -> _Note:
        trace = self._trace
        trace.counted_notes += 1
        word = columns.pack(0, 0, 0, self._recorder.module, site)
        return _Note(kind, trace.rows.end, trace.counted_notes, word, target, facts)

    # ---- backward

    def _backward(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> _Note | None:
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

    def _functional_done(self, note: _Note, result: Any) -> None:
        note.facts["none"] = tuple(one is None for one in _listed(result))
        inputs = list(note.facts.pop("rows"))
        made = [one for one in _listed(result) if _is_tensor(one)]
        if made:
            kind = Kind("autograd.grad", Role.OP)
            self._recorder.record(kind, inputs, columns.site_of(note.word), torch.is_grad_enabled(), made)
        self._recorder.backward_done()

    # ---- flags and hooks

    def _flag(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        tensor = args[0]
        on = bool(args[1] if len(args) > 1 else kwargs.get("requires_grad", True))
        ref = self._recorder.ref_of(tensor, site)
        before = tensor.requires_grad
        if on != before:
            used = bool(ref.used) and on
            return self.note("requires_grad", tensor, site, on=on, before=before, used_before=used, raised=None)
        return None

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

    # ---- .grad

    def read_by_torch(self, tensor: torch.Tensor, result: torch.Tensor | None) -> torch.Tensor | None:
        """An optimizer, zero_grad or a clipping reads it: no event, but a later `zero_` will clear a gradient."""
        if result is not None:
            known = self._gradients.get(id(result))
            if known is None or known[0]() is not result:
                self._owns(tensor, result)
        return result

    def _owns(self, tensor: torch.Tensor, gradient: torch.Tensor) -> None:
        self._gradients[id(gradient)] = weakref.ref(gradient), weakref.ref(tensor)
        if len(self._gradients) > 2 * len(self._trace.made) + 1_000:
            self._gradients = {key: pair for key, pair in self._gradients.items() if pair[0]() is not None}

    def _read(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        """Noted when the user's own line reads it."""
        direct = self._trace.places.kind(frame.f_code) == USER
        return self.note("grad_read", args[0], site, none=True) if direct else ()

    def _read_done(self, note: _Note | tuple[()], tensor: torch.Tensor, result: torch.Tensor | None) -> None:
        if result is None:
            if isinstance(note, _Note):
                self.tell("none_read", tensor, columns.site_of(note.word))
            return
        self._owns(tensor, result)
        if not isinstance(note, _Note):
            return
        note.facts["none"] = False
        made = self._trace.made.get(id(result))
        if made is None or made() is not result:
            site = columns.site_of(note.word)
            row = self._recorder.ref_of(tensor, site).row
            self._recorder.record(_GRAD, [row << 1 | 1], site, torch.is_grad_enabled(), [result])

    def _set_grad(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int, frame: Any) -> Any:
        if len(args) < 2 or args[1] is None:
            self._clear(args[0], "None", site)

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
        pair = self._gradients.get(id(target))
        if kind.name in ("zero_", "_foreach_zero_") and pair is not None and pair[0]() is target:
            if (owner := pair[1]()) is not None:
                self._clear(owner, "zero_", site)
            return
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
        if not others and not tracked and kind.name != "detach_":
            return
        own = next((value for value in inputs if value >> 1 == me), me << 1)
        self._recorder.record(kind, [own, *others], site, grad_mode, [target], numbers, True)
        if target._is_view():
            self._base_written(kind, target, site, grad_mode)

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


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)
