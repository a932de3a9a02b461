"""The function mode that writes the ledger: sees every torch function called in its thread.

It keeps weak references only, reads nothing that would make a Python wrapper of a graph node, and calls the function
as if the user's own line did, so that warnings name that line. Whatever fails in here is noted and never raised.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch.overrides import handle_torch_function

from . import rows as columns
from .happenings import Happenings
from .ledger import Ref, Trace, intern
from .names import BUILDERS, NUMBERS, Kind, Role, kind_of, may_be_kept
from .rows import CUTS, FACTORY, GRAD_MODE, IN_PLACE, INFERENCE, SOURCE, TRACKED_IN, TRACKED_OUT
from .site import HIDDEN
from .stack import Stacked

_CUT = {cause: index for index, cause in enumerate(CUTS)}
_HANDLE = handle_torch_function.__code__
_Parameter = torch.nn.Parameter
_Tensor = torch.Tensor
_PLAIN = frozenset({int, float, bool, str, type(None), torch.dtype, torch.device, torch.Size, slice, type(...)})
_OP, _GRAD = Role.OP, Role.GRAD
_NOTHING: dict[str, Any] = {}
_getframe = sys._getframe
_grad_enabled = torch.is_grad_enabled


class Recorder(Stacked):
    """Records into one trace, for one thread."""

    RETIRE_AFTER = 2_000  # rows behind the last two steps
    LONG_STEP = 50_000  # rows without a backward: fold what no living tensor descends from

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.happenings = Happenings(self)
        self._slow = trace.values
        self.checkpoint = 0  # how many reentrant checkpoints are running
        self.silent = 0  # inside a call that is recorded as a whole
        self._kinds: dict[Any, Kind] = {}
        self._name_index: dict[str, int] = {}
        self._after_backward = False
        self._steps = [1]  # where the kept steps begin
        self._next_look = self.LONG_STEP

    # ---- the mode

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        try:
            kind = self._kinds[func]
        except (KeyError, TypeError):
            kind = self._learn(func)
        try:
            if kind.quiet or self.off or self.silent:
                return func(*args, **kwargs or _NOTHING)
            frame = _getframe(1)
            if frame.f_code is _HANDLE:  # a torch function in Python: its caller is two frames up
                frame = frame.f_back.f_back  # type: ignore[union-attr, assignment]
            if kind.plain:
                return self._plain(kind, func, args, kwargs or _NOTHING, frame)
            if kind.role is _GRAD and self.trace.places.kind(frame.f_code) == HIDDEN and args[0].is_leaf:
                return self.happenings.read_by_torch(args[0], func(*args))
            return self.call(kind, func, args, kwargs or _NOTHING, frame)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next  # without this frame
            raise

    def _plain(
        self, kind: Kind, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], frame: Any
    ) -> Any:
        """What `call` does, for an operation that is not in place; the way of nearly all, so it is written out."""
        trace, inputs, flags, numbers = self.trace, [], 0, None
        made = trace.made
        try:
            stub, site = trace.places.at(frame)
            for value in args:
                cls = type(value)
                if cls is _Tensor or cls is _Parameter:
                    ref = made.get(id(value))
                    if ref is None or ref() is not value:
                        ref = self.source(value, site)
                    if value.requires_grad:
                        inputs.append(ref.row << 1 | 1)
                        flags = TRACKED_IN
                    else:
                        inputs.append(ref.row << 1)
                        ref.used = True
                elif cls not in _PLAIN or self.happenings.handed:
                    numbers = self._scan((value,), inputs, site) or numbers
            if kwargs:
                numbers = self._scan(kwargs.values(), inputs, site) or numbers
            grad_mode = _grad_enabled()
        except Exception as error:
            self.failed(error)
            return function(*args, **kwargs)
        try:
            result = stub(function, args, kwargs)
        except BaseException as error:
            self.raised(kind, None, error)
            raise
        try:
            if not (kwargs or numbers or self._slow):
                cls = type(result)
                if cls is _Tensor:
                    ref = made.get(id(result))
                    fresh = ref is None or ref() is not result
                    if fresh and self._common(kind, inputs, flags, site, grad_mode, result):
                        return result
                elif cls is tuple and flags and self._all_tracked(result):
                    self._common(kind, inputs, flags, site, grad_mode, result[0])
                    row = made[id(result[0])].row
                    for one in result[1:]:
                        self.point(one, row)
                    return result
            self._after(kind, (inputs, site, grad_mode, None, numbers), args, kwargs, result)
        except Exception as error:
            self.failed(error)
        return result

    def _all_tracked(self, results: tuple[Any, ...]) -> bool:
        """Whether these are several new tensors, all with a history: as from split, or from an LSTM cell."""
        made = self.trace.made
        for one in results:
            if type(one) is not _Tensor or not one.requires_grad or one.is_leaf:
                return False
            ref = made.get(id(one))
            if ref is not None and ref() is one:
                return False
        return bool(results)

    def _common(
        self, kind: Kind, inputs: list[int], flags: int, site: int, grad_mode: bool, result: torch.Tensor
    ) -> bool:
        """Adds the row of an operation that keeps the history, or never had one; False if there is more to say."""
        if result.requires_grad:
            if result.is_leaf and inputs:
                return False
            flags |= TRACKED_IN | TRACKED_OUT if inputs else FACTORY | TRACKED_OUT
            if self._after_backward:
                self.step()
        elif flags or any(value & 1 for value in inputs):
            return False
        elif not inputs:
            flags = FACTORY
        if grad_mode:
            flags |= GRAD_MODE
        trace = self.trace
        name = self._name_index.get(kind.name) or intern(trace.names, kind.name, self._name_index)
        ref = trace.made[id(result)] = Ref(result)
        ref.row = row = trace.rows.add(flags | name << 12 | self.module << 24 | site << 40, inputs)
        ref.used = False
        if row >= self._next_look:
            self._look(row)
        return True

    def call(
        self, kind: Kind, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], frame: Any
    ) -> Any:
        """Runs the function and records it, as called from `frame`."""
        note: Any = None
        try:
            stub, site = self.trace.places.at(frame)
            if kind.role is _OP:
                note = self.before(kind, args, kwargs, site)
            else:
                note = self.happenings.before(kind, args, kwargs, site, frame)
        except Exception as error:
            self.failed(error)
            return function(*args, **kwargs)
        try:
            result = stub(function, args, kwargs)
        except BaseException as error:
            self.raised(kind, note, error)
            raise
        if note is not None:
            try:
                if kind.role is _OP:
                    self._after(kind, note, args, kwargs, result)
                else:
                    self.happenings.after(kind, note, args, result)
            except Exception as error:
                self.failed(error)
        return result

    def enter_checkpoint(self, change: int) -> None:
        self.checkpoint += change
        self._slow = self.trace.values or self.checkpoint > 0

    def _learn(self, func: Any) -> Kind:
        kind = kind_of(func)
        try:
            if may_be_kept(func):
                self._kinds[func] = kind
        except Exception as error:
            self.failed(error)
        return kind

    def failed(self, error: Exception) -> None:
        if len(self.trace.failures) < 10:
            self.trace.failures.append(f"{type(error).__name__}: {error}")

    def raised(self, kind: Kind, note: Any, error: BaseException) -> None:
        """Takes the frame of the stub, which repeats the user's line, out of the traceback."""
        try:
            if kind.role is not _OP:
                self.happenings.raised(kind, note, error)
            here = error.__traceback__
            if here is not None and here.tb_next is not None:
                error.__traceback__ = here.tb_next.tb_next
        except Exception as problem:
            self.failed(problem)

    # ---- an operation

    def before(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int) -> tuple[Any, ...]:
        inputs: list[int] = []
        spared = None
        if kind.in_place or kind.shape_only:  # writing to a tensor, or reading its shape, is no use of it
            spared = self.trace.made.get(id(first(args, kwargs)))
            used = spared is not None and spared.used
        number = self._scan(args, inputs, site)
        if kwargs:
            number = self._scan(kwargs.values(), inputs, site) or number
        if spared is not None:
            spared.used = used
        version = None
        if kind.inplace_switch:
            one = first(args, kwargs)
            version = None if not isinstance(one, _Tensor) or one.is_inference() else one._version
        return inputs, site, _grad_enabled(), version, number

    def _scan(self, values: Iterable[Any], inputs: list[int], site: int) -> list[int] | None:
        """Appends the tensors among the values, as inputs; returns the events that handed one of the numbers out."""
        made = self.trace.made
        handed = self.happenings.handed
        numbers: list[int] | None = None
        for value in values:
            cls = type(value)
            if cls is _Tensor or cls is _Parameter:
                ref = made.get(id(value))
                if ref is None or ref() is not value:
                    ref = self.source(value, site)
                if value.requires_grad:
                    inputs.append(ref.row << 1 | 1)
                else:
                    inputs.append(ref.row << 1)
                    ref.used = True
            elif cls in _PLAIN:
                if handed and (event := handed.find(value)):
                    numbers = [*(numbers or ()), event]
            elif cls is list or cls is tuple or isinstance(value, list | tuple):
                few = value if not value or isinstance(value[0], _Tensor | list | tuple) else value[:64]
                numbers = self._scan(few, inputs, site) or numbers
            elif isinstance(value, _Tensor):
                with torch._C.DisableTorchFunctionSubclass():
                    self._scan_subclass(value, inputs, site)
            elif handed and (event := handed.find(value)):
                numbers = [*(numbers or ()), event]
        return numbers

    def _scan_subclass(self, value: torch.Tensor, inputs: list[int], site: int) -> None:
        ref = self.ref_of(value, site)
        inputs.append(ref.row << 1 | bool(value.requires_grad))
        if not value.requires_grad:
            ref.used = True

    def ref_of(self, tensor: torch.Tensor, site: int) -> Ref:
        ref = self.trace.made.get(id(tensor))
        return ref if ref is not None and ref() is tensor else self.source(tensor, site)

    def source(self, tensor: torch.Tensor, site: int) -> Ref:
        """Writes down a tensor that nothing recorded has made."""
        flags = SOURCE
        if tensor.requires_grad:
            flags |= TRACKED_OUT if tensor.is_leaf else TRACKED_IN
        row = self.trace.rows.add(columns.pack(flags, 0, 0, self.module, site), [])
        return self.point(tensor, row)

    def point(self, tensor: torch.Tensor, row: int) -> Ref:
        ref = Ref(tensor)
        ref.row = row
        ref.used = False
        self.trace.made[id(tensor)] = ref
        return ref

    def _after(
        self, kind: Kind, note: tuple[Any, ...], args: Sequence[Any], kwargs: dict[str, Any], result: Any
    ) -> None:
        inputs, site, grad_mode, _, numbers = note
        cls = type(result)
        if cls is _Tensor and not kind.in_place and not kind.compares:
            ref = self.trace.made.get(id(result))
            if ref is None or ref() is not result:
                self.record(kind, inputs, site, grad_mode, (result,), numbers)
                if kind.alias:
                    self.happenings.alias(result, args[0])
                return
        with torch._C.DisableTorchFunctionSubclass():
            self._after_all(kind, note, args, kwargs, result)
        if kind.compares:
            self.happenings.compared(args, kwargs, result, site)

    def _after_all(
        self, kind: Kind, note: tuple[Any, ...], args: Sequence[Any], kwargs: dict[str, Any], result: Any
    ) -> None:
        inputs, site, grad_mode, version, numbers = note
        out = kwargs.get("out")
        if kind.in_place or out is not None or (version is not None and version != first(args, kwargs)._version):
            targets = list(tensors(first(args, kwargs) if out is None else out))
            for target in targets[: None if kind.name.startswith("_foreach") or out is not None else 1]:
                self.happenings.written(kind, target, inputs, site, grad_mode, numbers)
            return
        made = self.trace.made
        results = list(tensors(result))
        fresh = [one for one in results if (ref := made.get(id(one))) is None or ref() is not one]
        if fresh:
            tracked_too = len(fresh) < len(results) and any(one.requires_grad for one in results)
            self.record(kind, inputs, site, grad_mode, fresh, numbers, several=tracked_too)

    def record(
        self,
        kind: Kind,
        inputs: list[int],
        site: int,
        grad_mode: bool,
        made: Sequence[torch.Tensor],
        numbers: list[int] | None = None,
        in_place: bool = False,
        several: bool = False,
    ) -> None:
        """Adds the row of an operation; a second one for its untracked results, if it has both kinds.

        several: a tracked result besides `made` is one of the inputs, handed back as it was.
        """
        flags = GRAD_MODE if grad_mode else 0
        for value in inputs:
            if value & 1:
                flags |= TRACKED_IN
                break
        if not inputs:
            flags |= FACTORY
        if in_place:
            flags |= IN_PLACE
        if self.checkpoint:
            flags |= columns.CHECKPOINT
        tracked = [one for one in made if one.requires_grad]
        if tracked:
            if self._after_backward:
                self.step()
            cut = self._fresh_leaf(kind) if flags & TRACKED_IN and not in_place and tracked[0].is_leaf else 0
            self._add(kind, flags | TRACKED_OUT, cut, inputs, site, tracked, numbers)
        if len(tracked) < len(made):
            rest = [one for one in made if not one.requires_grad] if tracked else made
            cut = self._cut(kind, grad_mode, rest[0]) if flags & TRACKED_IN else 0
            if (tracked or several) and rest[0].is_floating_point() and not kind.name.startswith("apply"):
                cut = 0  # broadcast_tensors(tracked, constant): each result may come from its own input
            if not grad_mode and rest[0].is_inference():
                flags |= INFERENCE
            self._add(kind, flags, cut, inputs, site, rest, numbers)

    def _add(
        self, kind: Kind, flags: int, cut: int, inputs: list[int], site: int, made: Iterable[_Tensor], numbers: Any
    ) -> None:
        trace = self.trace
        name = self._name_index.get(kind.name) or intern(trace.names, kind.name, self._name_index)
        row = trace.rows.add(flags | cut << 8 | name << 12 | self.module << 24 | site << 40, inputs)
        for one in made:
            ref = trace.made.get(id(one))
            if ref is not None and ref() is one:
                ref.row = row
            else:
                self.point(one, row)
        if numbers:
            trace.fed[row] = dict.fromkeys(numbers, True)
        if trace.values and flags & TRACKED_OUT:
            self._keep(row, made)
        if row >= self._next_look:
            self._look(row)

    def _look(self, row: int) -> None:
        """A long time without a backward: what no living tensor descends from may go."""
        self._next_look = row + max(self.LONG_STEP, 2 * len(self.trace.rows.elders))
        self.trace.retire(max(self.trace.rows.start, row - self.LONG_STEP // 5))

    def _keep(self, row: int, made: Iterable[torch.Tensor]) -> None:
        self.trace.kept[row] = list(made)
        for one in made:
            if not one.is_leaf:
                one.retain_grad()

    def step(self) -> None:
        """A tracked operation after a backward: a new step begins, and the last but one is over for good."""
        self._after_backward = False
        self._steps = [*self._steps[-1:], self.trace.rows.end]
        if self._steps[0] - self.trace.rows.start > self.RETIRE_AFTER:
            self.trace.retire(self._steps[0])

    def backward_done(self) -> None:
        self._after_backward = True

    # ---- why nothing tracked came out

    def _fresh_leaf(self, kind: Kind) -> int:
        return _CUT["rewrapped"] if kind.name in BUILDERS or kind.name == "deepcopy" else self._by_name(kind)

    def _by_name(self, kind: Kind) -> int:
        if kind.shape_only:
            return 0
        if kind.name in ("detach", "detach_", "data"):
            return _CUT["detached"]
        if kind.name in NUMBERS:
            return _CUT["left_torch"]
        return _CUT["rewrapped"] if kind.name in BUILDERS or kind.name == "deepcopy" else 0

    def _cut(self, kind: Kind, grad_mode: bool, made: torch.Tensor) -> int:
        if kind.shape_only or self.checkpoint:
            return 0
        if cut := self._by_name(kind):
            return cut
        if kind.name == "checkpoint":
            return _CUT["checkpoint_cut"]
        if kind.name in ("autograd.grad", "grad"):
            return _CUT["no_create_graph"]
        differentiable = made.is_floating_point() or made.is_complex()
        return _CUT["not_differentiable" if grad_mode or not differentiable else "grad_mode_off"]


def first(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else next(iter(kwargs.values()), None)


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in a result, containers opened."""
    if isinstance(value, _Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from tensors(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors(one)
