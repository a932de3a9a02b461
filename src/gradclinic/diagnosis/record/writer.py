"""The half of the recorder that writes rows: what an operation took and gave, and why nothing tracked came out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch

from . import rows as columns
from .handed import Handed
from .ledger import Trace, intern
from .names import BUILDERS, NUMBERS, Kind
from .rows import CUTS, FACTORY, GRAD_MODE, IN_PLACE, INFERENCE, SOURCE, TRACKED_IN, TRACKED_OUT
from .stack import Stacked
from .views import Ref

_Parameter = torch.nn.Parameter
_Tensor = torch.Tensor
PLAIN = frozenset({int, float, bool, str, type(None), torch.dtype, torch.device, torch.Size, slice, type(...)})
_CUT = {cause: index for index, cause in enumerate(CUTS)}


class Writer(Stacked):
    """Writes the rows of one trace, and begins and retires its steps."""

    RETIRE_AFTER = 2_000  # rows behind the last two steps
    LONG_STEP = 50_000  # rows without a backward: fold what no living tensor descends from

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.handed = Handed()
        self.checkpoint = 0  # how many reentrant checkpoints are running
        self.after_backward = False
        self.next_look = self.LONG_STEP
        self._names: dict[str, int] = {}
        self._steps = [1]  # where the kept steps begin

    def number_of(self, name: str) -> int:
        return self._names.get(name) or intern(self.trace.names, name, self._names)

    # ---- what an operation takes

    def before(self, kind: Kind, args: Sequence[Any], kwargs: dict[str, Any], site: int) -> tuple[Any, ...]:
        inputs: list[int] = []
        spared = None
        if kind.in_place or kind.shape_only:  # writing to a tensor, or reading its shape, is no use of it
            spared = self.trace.made.get(id(first(args, kwargs)))
            used = spared is not None and spared.used
        number = self.scan(args, inputs, site)
        if kwargs:
            number = self.scan(kwargs.values(), inputs, site) or number
        if spared is not None:
            spared.used = used
        version = None
        if kind.switch:
            one = first(args, kwargs)
            version = None if not isinstance(one, torch.Tensor) or one.is_inference() else one._version
        return inputs, site, torch.is_grad_enabled(), version, number

    def scan(self, values: Iterable[Any], inputs: list[int], site: int) -> list[int] | None:
        """Appends the tensors among the values, as inputs; returns the events that handed one of the numbers out."""
        made = self.trace.made
        handed = self.handed.kept
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
            elif cls in PLAIN:
                if handed and (event := self.handed.find(value)):
                    numbers = [*(numbers or ()), event]
            elif cls is list or cls is tuple or isinstance(value, list | tuple):
                few = value if not value or isinstance(value[0], torch.Tensor | list | tuple) else value[:64]
                numbers = self.scan(few, inputs, site) or numbers
            elif isinstance(value, torch.Tensor):
                with torch._C.DisableTorchFunctionSubclass():
                    self._scan_subclass(value, inputs, site)
            elif handed and (event := self.handed.find(value)):
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

    # ---- what it gave

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
            if self.after_backward:
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
        self, kind: Kind, flags: int, cut: int, inputs: list[int], site: int, made: Iterable[torch.Tensor], numbers: Any
    ) -> None:
        trace = self.trace
        name = self.number_of(kind.name)
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
        if row >= self.next_look:
            self.look(row)

    def look(self, row: int) -> None:
        """A long time without a backward: what no living tensor descends from may go."""
        self.next_look = row + max(self.LONG_STEP, 2 * len(self.trace.rows.elders))
        self.trace.retire(max(self.trace.rows.start, row - self.LONG_STEP // 5))

    def _keep(self, row: int, made: Iterable[torch.Tensor]) -> None:
        self.trace.kept[row] = list(made)
        for one in made:
            if not one.is_leaf:
                one.retain_grad()

    def step(self) -> None:
        """A tracked operation after a backward: a new step begins, and the last but one is over for good."""
        self.after_backward = False
        self._steps = [*self._steps[-1:], self.trace.rows.end]
        if self._steps[0] - self.trace.rows.start > self.RETIRE_AFTER:
            self.trace.retire(self._steps[0])

    def backward_done(self) -> None:
        self.after_backward = True

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
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from tensors(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors(one)
