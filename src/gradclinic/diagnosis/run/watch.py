"""Looks at the gradients of a running program: after each backward, at each step, at each read of a None.

What is judged is the whole run: a parameter that gets its gradient in some pass is fine, however many passes leave it
out. All that is kept of a tensor is a weak reference and what was said of it.
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import torch

from ..decide.facts import gather, gradient, named
from ..decide.places import location
from ..decide.reach import reached
from ..decide.registry import unregistered
from ..decide.traced import Inquiry
from ..diagnosis import Diagnosis, Location
from ..record.ledger import Trace
from .reads import counts

FIRST = 3  # passes of a call site, and steps, that are always looked at
_MOST_SETS = 16  # different sets of missing gradients that are looked into at one call site
_MOST_LOOSE = 200  # living leaves, besides parameters, that are looked into after a pass
_WRONG = ("accumulated", "edited_through_data", "broadcast_target")


@dataclass
class Known:
    """A parameter of a module that ran, or a tensor of an optimizer that stepped, and what became of it."""

    ref: weakref.ref[torch.Tensor]
    name: str
    shape: tuple[int, ...]
    in_module: bool = False
    outside: str = ""  # its name as an attribute that is not registered
    held: bool = False
    had: bool = False  # some pass gave it a gradient
    without: int = 0  # steps of its optimizer that found none
    step: Location | None = None
    answers: dict[int, tuple[int, Diagnosis]] = field(default_factory=dict)  # place of a backward -> last pass of it
    missing: list[tuple[Location | None, Diagnosis]] = field(default_factory=list)  # at the last such step
    zero: Diagnosis | None = None
    nonzero: bool = False
    bad: Diagnosis | None = None  # nan or inf, or a wrong sum
    reads: list[Read] = field(default_factory=list)


@dataclass
class Read:
    """A `.grad` that was None when the program used it. later: the gradient came before the optimizer stepped."""

    name: str
    at: Location | None
    answer: Diagnosis
    later: bool = False


class Watch:
    """Listens to a trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.passes = 0
        self.steps = 0
        self.known: list[Known] = []
        self.reads: list[Read] = []
        self.roots: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        self.last_reads: deque[tuple[int, weakref.ref[torch.Tensor]]] = deque(maxlen=8)
        self._by_id: dict[int, Known] = {}
        self._loose: dict[int, tuple[int, weakref.ref[torch.Tensor], Diagnosis]] = {}
        self._modules = 0
        self._at: dict[int, int] = {}  # how often a backward ran at this place
        self._sets: dict[int, list[frozenset[int]]] = {}
        self._places: dict[int, Location | None] = {}
        self._read_at: dict[tuple[int, int], int] = {}
        self._pass_of_last_step = 0
        self._last_step: dict[int, int] = {}
        self._steps_of: dict[int, int] = {}

    def __call__(self, what: str, subject: Any, site: int) -> None:
        if what == "backward":
            self._backward(site)
        elif what == "step":
            self._step(subject, site)
        else:
            self._read(subject, site)

    # ---- after a backward

    def _backward(self, site: int) -> None:
        self.passes += 1
        self._at[site] = self._at.get(site, 0) + 1
        self._meet_modules()
        missing: list[tuple[Known, torch.Tensor]] = []
        for one in self._by_id.values():
            tensor = one.ref()
            if tensor is None:
                continue
            if gradient(tensor) is not None:
                one.had = True
            elif tensor.requires_grad:
                missing.append((one, tensor))
        now = frozenset(id(tensor) for _, tensor in missing)
        sets = self._sets.setdefault(site, [])
        first = self._at[site] <= FIRST
        if first or (now not in sets and len(sets) < _MOST_SETS):
            sets.append(now)
            loose = self._loose_leaves() if first else []
            answers = self._ask([*(tensor for _, tensor in missing), *loose])
            for (one, _), answer in zip(missing, answers, strict=False):
                one.answers[site] = self.passes, answer
            for tensor, answer in zip(loose, answers[len(missing) :], strict=True):
                self._loose[id(tensor)] = self.passes, weakref.ref(tensor), answer
        else:
            for one, _ in missing:
                if site in one.answers:
                    one.answers[site] = self.passes, one.answers[site][1]

    def _ask(self, tensors: list[torch.Tensor]) -> list[Diagnosis]:
        losses = tuple(self.trace.last_roots())
        inquiry = Inquiry(self.trace, losses)
        hits = reached(losses, tensors) if losses else [None] * len(tensors)
        return [inquiry.decide(one, losses, hit) for one, hit in zip(tensors, hits, strict=True)]

    def _loose_leaves(self) -> list[torch.Tensor]:
        """Living leaves that wait for a gradient and belong to no module."""
        found = []
        for key, ref in list(self.trace.made.items()):
            tensor = ref()
            if tensor is None or key in self._by_id or not tensor.is_leaf or not tensor.requires_grad:
                continue
            if gradient(tensor) is None:
                found.append(tensor)
        return found[-_MOST_LOOSE:]

    def _meet_modules(self) -> None:
        modules = self.trace.modules
        for entry in modules[max(self._modules, 1) :]:
            root = entry[1]() if entry is not None else None
            if root is None or (id(root) in self.roots and self.roots[id(root)][0]() is root):
                continue
            name = _global_name(root) or type(root).__name__
            self.roots[id(root)] = weakref.ref(root), name
            for path, parameter in root.named_parameters():
                self._meet(parameter, f"{name}.{path}").in_module = True
            for other in unregistered(root):
                for tensor in other.tensors:
                    if other.kind != "result":
                        self._meet(tensor, f"{name}.{other.name}").outside = f"{name}.{other.name}"
        self._modules = len(modules)

    def _meet(self, tensor: torch.Tensor, name: str = "") -> Known:
        known = self._by_id.get(id(tensor))
        if known is not None and known.ref() is tensor:
            return known
        name = name or _global_name(tensor) or named(tensor)
        known = self._by_id[id(tensor)] = Known(weakref.ref(tensor), name, tuple(tensor.shape))
        self.known.append(known)
        if len(self.known) % 5_000 == 0:  # a program that makes models without end
            self.known = [one for one in self.known if one.ref() is not None or (one.held and not one.had)]
        return known

    # ---- at a step

    def _step(self, optimizer: torch.optim.Optimizer, site: int) -> None:
        self.steps += 1
        key = id(optimizer)
        self._steps_of[key] = self._steps_of.get(key, 0) + 1
        since = self._pass_of_last_step if self._pass_of_last_step < self.passes else self._last_step.get(key, 0)
        held = [one for group in optimizer.param_groups for one in group["params"]]
        late = []
        for tensor in held:
            one = self._meet(tensor)
            one.held = True
            if gradient(tensor) is not None:
                one.had = True
                for read in one.reads:
                    read.later = True
            elif tensor.requires_grad:
                one.without += 1
                one.step = self._place(site)
                if not self._judge(one, since) and not one.missing:
                    late.append((one, tensor))
            one.reads = []
        for (one, _), answer in zip(late, self._ask([tensor for _, tensor in late]), strict=True):
            one.missing = [(None, answer)]
        if self._is_due(self._steps_of[key]):
            self._look_at_values(held)
        self._pass_of_last_step = self._last_step[key] = self.passes

    def _judge(self, one: Known, since: int) -> bool:
        """Takes what was said after the passes since the last step; the lines of a cut before what is only unused."""
        recent = [(number, site, answer) for site, (number, answer) in one.answers.items() if number > since]
        if not recent:
            return False
        recent.sort(key=lambda entry: (_is_cut(entry[2]), entry[0]), reverse=True)
        best = _is_cut(recent[0][2])
        one.missing = [(self._place(site), answer) for _, site, answer in recent if _is_cut(answer) == best]
        return True

    def _is_due(self, count: int) -> bool:
        return count <= FIRST or self.trace.values or count & (count - 1) == 0

    def _look_at_values(self, held: list[torch.Tensor]) -> None:
        """Gradients that are zero, nan or inf; and, of a few, whether they are right."""
        filled = [one for one in held if gradient(one) is not None]
        for tensor in filled:
            one, state = self._meet(tensor), gather(tensor, ()).state
            if state == "nonfinite" and one.bad is None:
                one.bad = self._ask([tensor])[0]
            elif state == "zero" and one.zero is None and not one.nonzero:
                one.zero = self._ask([tensor])[0]
            one.nonzero = one.nonzero or state == "present"
        for tensor in {id(one): one for one in (filled[:1] + filled[len(filled) // 2 :][:1] + filled[-1:])}.values():
            one, answer = self._meet(tensor), self._ask([tensor])[0]
            wrong = answer.cause is not None and answer.cause.id in _WRONG and answer.certainty == "proved"
            if wrong and one.bad is None:
                one.bad = answer

    # ---- a read of a None

    def _read(self, tensor: torch.Tensor, site: int) -> None:
        self.last_reads.append((site, weakref.ref(tensor)))
        row = self.trace.places.instruction(site)
        if row is None or not counts(row[0], row[1]) or not self._is_expected(tensor):
            return
        key = site, id(tensor)
        self._read_at[key] = self._read_at.get(key, 0) + 1
        if self._read_at[key] > FIRST or len(self._read_at) > 2_000:
            return
        read = self.read_of(tensor, site)
        self.reads.append(read)
        if (known := self._by_id.get(id(tensor))) is not None and known.ref() is tensor:
            known.reads.append(read)

    def read_of(self, tensor: torch.Tensor, site: int) -> Read:
        known = self._by_id.get(id(tensor))
        if known is None or known.ref() is not tensor:
            known = None
        said = self._said(tensor, known)
        name = known.name if known else _global_name(tensor) or named(tensor)
        return Read(name, self._place(site), said if said is not None else self._ask([tensor])[0])

    def _said(self, tensor: torch.Tensor, known: Known | None) -> Diagnosis | None:
        """What was said after the last pass, if nothing has happened since that would change it."""
        if gradient(tensor) is not None or not tensor.requires_grad:
            return None
        for number, answer in known.answers.values() if known else ():
            if number == self.passes:
                return answer
        loose = self._loose.get(id(tensor))
        return loose[2] if loose is not None and loose[1]() is tensor and loose[0] == self.passes else None

    def _is_expected(self, tensor: torch.Tensor) -> bool:
        """Whether a pass has run since its gradients were last cleared: its own, or those of its optimizer."""
        passes = [note.order for note in self.trace.log if note.kind == "backward" and note.facts["raised"] is None]
        if not passes:
            return False
        known = self._by_id.get(id(tensor))
        cleared = 0
        for key, note in self.trace.cleared.items():
            other = self._by_id.get(key)
            together = known is None or not known.held or key == id(tensor) or (other is not None and other.held)
            if together:
                cleared = max(cleared, note.order)
        return passes[-1] > cleared

    def _place(self, site: int) -> Location | None:
        if site not in self._places:
            self._places[site] = location(self.trace.places.site(site))
        return self._places[site]


def _is_cut(answer: Diagnosis) -> int:
    if answer.cause is None:
        return 0
    return 1 if answer.cause.id in ("unused", "off_the_path", "no_backward") else 2


def _global_name(thing: object) -> str | None:
    """The name that a global of the running program has for it; locals are left alone, to read them keeps them."""
    frame = sys._getframe(1)
    seen: set[int] = set()
    while frame is not None:
        names = frame.f_globals
        if id(names) not in seen and names.get("__name__", "").partition(".")[0] not in ("torch", "gradclinic"):
            seen.add(id(names))
            for name, value in list(names.items()):
                if value is thing:
                    return name
        frame = frame.f_back  # type: ignore[assignment]
    return None
