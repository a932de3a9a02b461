"""What happened in a replayed call, as plain events: one method for each kind of happening."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from gradclinic.diagnosis.decide.shadow import shadows
from gradclinic.diagnosis.record.site import Site
from gradclinic.diagnosis.record.views import Event, Op
from gradclinic.grading.lineage import COPIES, Lineage, Step, has_node
from gradclinic.grading.second import Line, Second


class Telling:
    """One method for each kind of event; what an event says depends on those before it."""

    def __init__(self, lineage: Lineage, second: Second, line: Line, flags: list[Event]) -> None:
        self.events: list[dict[str, Any]] = []
        self._lineage = lineage
        self._second = second
        self._line = line
        self._flags: dict[int, list[Event]] = {}
        for event in flags:
            self._flags.setdefault(id(_target(event)), []).append(event)
        self._late = self._late_flags(flags)
        self._paths: list[frozenset[int]] = []  # of each pass that was not an error
        self._retained: dict[int, dict[str, Any]] = {}
        self._cleared: dict[int, int | None] = {}
        self._pass: Event | None = None  # the last that was not an error
        self._hooked: list[tuple[torch.Tensor, int, dict[str, Any]]] = []

    def _late_flags(self, flags: list[Event]) -> dict[int, int | None]:
        """The lines that switched a flag on too late, by the states of the tensor that they concern."""
        late = [event for event in flags if event.facts["on"] and event.facts["used_before"]]
        return {state.index: self._line(event.site) for event in late for state in self._lineage.states(_target(event))}

    def tell(self, one: Event | Op) -> None:
        if isinstance(one, Op):
            self._operation(one)
        elif (told := _TOLD.get(one.kind)) is not None:
            told(self, one)

    def conclude(self, tensors: Iterable[torch.Tensor]) -> None:
        """The last word, on gradients that arrived."""
        if (said := self._second.on_values(tensors)) is not None:
            self.events.append({"op": "said", "at": len(self.events), "line": said[1], "cause": said[0]})

    def _note(self, op: str, site: Site, **facts: Any) -> dict[str, Any]:
        event = {"op": op, "at": len(self.events), "line": self._line(site), **facts}
        self.events.append(event)
        return event

    # ---- operations

    def _operation(self, op: Op) -> None:
        if op.in_place:
            for tensor in self._lineage.holders(op)[:1]:
                through = "data" if op.name == "data" else None
                self._edit(op.site, op.name, through, op.grad_mode, tensor)
        if (cut := self._lineage.cut(op)) is not None:
            self._note("cut", op.site, cause=cut[0], how=cut[2])

    def _edited(self, event: Event) -> None:
        facts = event.facts
        self._edit(event.site, facts["op"], facts["through"] or None, facts["grad_mode"], _target(event))

    def _edit(self, site: Site, how: str, through: str | None, grad_mode: bool, tensor: torch.Tensor) -> None:
        direct = how != "data" or ".data" in site.source  # Module.to() and the like set .data themselves
        self._note("edit", site, how=how, through=through, target=id(tensor), grad_mode=grad_mode, direct=direct)

    def _left(self, event: Event) -> None:
        if self._lineage.asks_for_gradients(event):
            self._note("left", event.site, cause="left_torch")

    # ---- flags, hooks, clearing

    def _flag(self, event: Event) -> None:
        tensor, on = _target(event), bool(event.facts["on"])
        states = self._lineage.states(tensor, event.index)
        made = states[0] if states else None
        patched = on and isinstance(made, Op) and made.name not in (*COPIES, "detach", "clone", "data")
        self._note(
            "flag",
            event.site,
            on=on,
            patched=patched and not has_node(states[-1]),
            parameter=isinstance(tensor, torch.nn.Parameter),
        )

    def _flag_again(self, event: Event) -> None:
        """It was so already: no reason for what happened, but a line that shows what the learner believed."""
        parameter = isinstance(_target(event), torch.nn.Parameter)
        self._note("flag", event.site, on=event.facts["on"], patched=False, parameter=parameter)

    def _retain(self, event: Event) -> None:
        tensor = _target(event)
        told = self._note(
            "retain_grad",
            event.site,
            late=self._reached(tensor, event),
            cut=self._cut(tensor, event),
            raised=event.facts["raised"] is not None,
        )
        if not told["raised"]:
            self._retained.setdefault(id(tensor), told)

    def _hook(self, event: Event) -> None:
        tensor = _target(event)
        told = self._note("hook", event.site, reached=False, **self._whence(tensor, event))
        self._hooked.append((tensor, event.index, told))

    def _clear(self, event: Event) -> None:
        if event.facts["how"] not in ("None", "zero_"):
            return  # another gradient was put there
        self._cleared[id(_target(event))] = self._line(event.site)
        self._note("clear", event.site)

    # ---- passes

    def _backward(self, event: Event) -> None:
        facts, roots = event.facts, event.facts["root_ops"]
        path = self._lineage.graph(roots)
        self._note(
            "backward",
            event.site,
            retain_graph=facts["retain_graph"],
            inputs=[id(ref()) for ref in facts["inputs"] or ()],
            again=self._again(path),
            patched=any(not has_node(root) and self._is_flagged(root) for root in roots),
            leaf_root=any(not has_node(root) for root in roots),
            unreached=any(self._is_beside(step, path) for root in roots for step in self._lineage.above(root)),
            cut=self._first(self._lineage.cut_above, roots),
            late_flag=self._first(self._late_flag, roots),
            untracked=self._first(self._untracked_maker, roots),
            raised=facts["raised"] is not None,
        )
        for tensor, when, hook in self._hooked:
            hook["reached"] = hook["reached"] or self._lineage.on_path(tensor, when, path)
        if facts["raised"] is None:
            self._paths.append(path)
            self._pass = event

    def _functional(self, event: Event) -> None:
        facts, roots = event.facts, event.facts["root_ops"]
        path = self._lineage.graph(roots)
        asked = [tensor for ref in facts["inputs"] if (tensor := ref()) is not None]
        self._again(path)
        self._note(
            "grad",
            event.site,
            asked=[id(tensor) for tensor in asked],
            materialize=facts["materialize"],
            retain_graph=facts["retain_graph"],
            lost=[
                self._whence(one, event, event) for one in asked if not self._lineage.on_path(one, event.index, path)
            ],
            cut=self._first(self._lineage.cut_above, roots),
            late_flag=self._first(self._late_flag, roots),
            raised=facts["raised"] is not None,
            none=any(facts["none"]),
        )
        if facts["raised"] is None:
            self._paths.append(path)

    def _first(self, ask: Callable[[Step], Any], roots: Iterable[Step]) -> Any:
        return next((answer for root in roots if (answer := ask(root)) is not None), None)

    def _again(self, path: frozenset[int]) -> bool:
        """Whether an earlier pass went through the same operations (leaves are none), and so had to keep the graph."""
        again = any(self._lineage.inner(path) & earlier for earlier in self._paths)
        if again:
            for event in self.events:
                if event["op"] in ("backward", "grad"):
                    event["needed"] = True
        return again

    def _is_flagged(self, step: Step) -> bool:
        return any(id(tensor) in self._flags for tensor in self._lineage.holders(step))

    def _is_beside(self, step: Step, path: frozenset[int]) -> bool:
        """Whether it is a leaf that asks for a gradient and that the pass does not lead to."""
        leaves = (one for one in self._lineage.holders(step) if one.is_leaf and one.requires_grad)
        return step.index not in path and any(True for _ in leaves)

    def _late_flag(self, root: Step) -> int | None:
        return next((self._late[one.index] for one in self._lineage.above(root) if one.index in self._late), None)

    def _untracked_maker(self, root: Step) -> int | None:
        """The line of the learner's that made a fresh leaf for the loss and asked no gradient for it."""
        for step in self._lineage.above(root):
            if isinstance(step, Op) and step.name in {"clone", *COPIES} - {"Parameter"}:
                plain = (one for one in self._lineage.holders(step) if one.is_floating_point())
                if (line := self._line(step.site)) is not None and any(not one.requires_grad for one in plain):
                    return line
        return None

    def _step(self, event: Event) -> None:
        held = [one for group in _target(event).param_groups for one in group["params"]]
        self._note("step", event.site, reached=any(self._reached(one, event) for one in held))

    # ---- .grad

    def _read(self, event: Event) -> None:
        tensor = _target(event)
        self._note(
            "read",
            event.site,
            none=event.facts["none"],
            backward_before=any(one["op"] == "backward" and not one["raised"] for one in self.events),
            **self._whence(tensor, event, self._pass if event.facts["none"] else None),
            on_path=self._reached(tensor, event),
            retained=self._retained.get(id(tensor)),
            cleared=self._cleared.get(id(tensor)),
        )

    def _whence(self, tensor: torch.Tensor, event: Event, asked: Event | None = None) -> dict[str, Any]:
        """Where a tensor that a gradient was asked of came from, as things stood at that moment.

        asked: the pass that did not lead to it, for a second opinion on what cut the way.
        """
        states = self._lineage.states(tensor, event.index)
        made = states[0] if states and isinstance(states[0], Op) else None
        flags = self._flags.get(id(tensor), [])
        later = [one for one in flags if one.order > event.order]
        moved = len(states) > 1 and made is not None and has_node(made)
        return {
            "leaf": not has_node(states[-1]) if states else tensor.is_leaf,
            "requires": later[0].facts["before"] if later else tensor.requires_grad,
            "parameter": isinstance(tensor, torch.nn.Parameter),
            "target": id(tensor),
            "shadowed": made is not None and has_node(made) and bool(shadows(made)),
            "modified": self._line(states[1].site) if moved else None,
            "made_line": self._line(made.site) if made else None,
            "cut": self._cut(tensor, event),
            "flag_line": self._line(flags[-1].site) if flags else None,
            "said": self._second.on_cut(tensor, asked),
            "late_flag": any(state.index in self._late for state in states),
        }

    def _cut(self, tensor: torch.Tensor, event: Event) -> tuple[str, int | None, str] | None:
        states = self._lineage.states(tensor, event.index)
        return self._lineage.cut_above(states[-1]) if states else None

    def _reached(self, tensor: torch.Tensor, event: Event) -> bool:
        return any(self._lineage.on_path(tensor, event.index, path) for path in self._paths)


def _target(event: Event) -> Any:
    return event.target() if event.target is not None else None


_TOLD: dict[str, Callable[[Telling, Event], None]] = {
    "backward": Telling._backward,
    "autograd_grad": Telling._functional,
    "grad_read": Telling._read,
    "grad_cleared": Telling._clear,
    "requires_grad": Telling._flag,
    "requires_grad_again": Telling._flag_again,
    "retain_grad": Telling._retain,
    "hook": Telling._hook,
    "left_torch": Telling._left,
    "edited": Telling._edited,
    "optimizer_step": Telling._step,
}
