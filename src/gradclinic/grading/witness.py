"""Watches one replayed call and writes down what happened to gradients, with the learner's lines.

Its notes explain a verdict and never make one: a plain run has decided before. It belongs to a throw-away
child and small graphs, so it may keep every tensor alive and walk every node.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from gradclinic.grading.origins import BUILDERS, Origins, nodes_below, on_path, tensors_in

_LEAVES_TORCH = {"item", "tolist", "numpy", "__float__", "__int__", "__array__"}


class Witness(TorchFunctionMode):
    """`events` are plain dicts in order; each has `op`, `line` (innermost line in the learner's file) and `direct`."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.events: list[dict[str, Any]] = []
        self._file = file
        self._origins = Origins()
        self._paths: list[set[Any]] = []  # the nodes below each root that a backward started from
        self._retained: dict[int, dict[str, Any]] = {}
        self._cleared: dict[int, int | None] = {}
        self._hooked: list[tuple[torch.Tensor, dict[str, Any]]] = []
        self._inside_backward = False
        self._undo: list[Callable[[], None]] = []

    # ---- the mode, and the few doors that it cannot see

    def __enter__(self) -> Witness:
        self._wrap(torch.nn.Parameter, "__new__", self._new_parameter)
        self._wrap(torch.autograd, "backward", self._autograd_backward)
        self._wrap(torch, "from_numpy", self._from_numpy)
        for owner in (torch.nn.Module, torch.optim.Optimizer):
            self._wrap(owner, "zero_grad", self._zero_grad)
        self._undo.append(register_optimizer_step_pre_hook(self._step).remove)
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *exc: Any) -> None:
        super().__exit__(*exc)  # type: ignore[no-untyped-call]
        for undo in reversed(self._undo):
            undo()

    def _wrap(self, owner: Any, name: str, seen: Callable[..., Any]) -> None:
        plain = vars(owner)[name]
        function = plain.__func__ if isinstance(plain, staticmethod) else plain

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return seen(function, *args, **kwargs)

        setattr(owner, name, staticmethod(wrapper) if isinstance(plain, staticmethod) or name == "__new__" else wrapper)
        self._undo.append(lambda: setattr(owner, name, plain))

    def _new_parameter(self, plain: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        made = plain(*args, **kwargs)
        data = args[1] if len(args) > 1 else kwargs.get("data")
        if isinstance(data, torch.Tensor):
            self._note_made("Parameter", [data], made)
        return made

    def _from_numpy(self, plain: Callable[..., Any], *args: Any) -> Any:
        made = plain(*args)
        self._note_made("from_numpy", [], made)
        return made

    def _autograd_backward(self, plain: Callable[..., Any], tensors: Any, *args: Any, **kwargs: Any) -> Any:
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        return self._backward(lambda: plain(tensors, *args, **kwargs), roots, kwargs)

    def _zero_grad(self, plain: Callable[..., Any], owner: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(owner, torch.nn.Module):
            params: Iterable[Any] = owner.parameters()
        else:
            params = (p for group in owner.param_groups for p in group["params"])
        had = [p for p in params if p.grad is not None]
        line = self._line()
        for p in had:
            self._cleared[id(p)] = line
        if had:
            self._note("clear")
        return plain(owner, *args, **kwargs)

    def _step(self, optimizer: Any, *_: Any) -> None:
        held = [p for group in optimizer.param_groups for p in group["params"]]
        self._note("step", reached=any(self._reached(p) for p in held))

    # ---- every torch function

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "?")
        if name in ("__get__", "__set__"):
            return self._attribute(name, getattr(func.__self__, "__name__", "?"), func, args)

        def run() -> Any:
            return func(*args, **kwargs)

        if name == "backward":
            return self._backward(run, [args[0]], kwargs)
        if name == "grad" and getattr(func, "__module__", "") == "torch.autograd":
            return self._functional(run, args, kwargs)
        if name == "retain_grad":
            return self._retain(run, args[0])
        if name == "register_hook":
            self._hooked.append((args[0], self._note("hook", reached=False, **self._whence(args[0]))))
        if name == "requires_grad_":
            self._flag(args[0], bool(kwargs.get("requires_grad", args[1] if len(args) > 1 else True)))
            return run()
        if name in _LEAVES_TORCH and args and isinstance(args[0], torch.Tensor) and self._origins.has_history(args[0]):
            self._origins.left_torch = True
            self._note("left", cause="left_torch")
        tensors = list(tensors_in((args, kwargs)))
        self._used(tensors)
        result = run()
        in_place = name.endswith("_") and not name.endswith("__")
        if tensors and (in_place or (name.startswith("__i") and result is tensors[0])):
            self._note_edit(name, tensors[0])
        for made in tensors_in(result):
            self._note_made(name, tensors, made)
        return result

    def _attribute(self, access: str, name: str, func: Any, args: Sequence[Any]) -> Any:
        tensor = args[0]
        if access == "__set__":
            if name == "requires_grad":
                self._flag(tensor, bool(args[1]))
            if name == "grad" and args[1] is None and tensor.grad is not None:
                self._cleared[id(tensor)] = self._line()
                self._note("clear")
            if name == "data":
                self._note("edit", through="data", target=id(tensor))
            return func(*args)
        result = func(*args)
        if name == "grad":
            self._read(tensor, result)
        elif isinstance(result, torch.Tensor):
            self._used([tensor])
            self._note_made(name, [tensor], result)
        return result

    # ---- what is written down

    def _line(self) -> int | None:
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else None

    def _direct(self) -> bool:
        """Whether the learner's own frame called torch, with no library frame between."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename in (__file__, torch.overrides.__file__, *_THIN):
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename == self._file

    def _note(self, op: str, **facts: Any) -> dict[str, Any]:
        event = {"op": op, "at": len(self.events), "line": self._line(), "direct": self._direct(), **facts}
        self.events.append(event)
        return event

    def _used(self, tensors: Iterable[torch.Tensor]) -> None:
        self._origins.note_use(tensors, self._line())

    def _note_made(self, name: str, inputs: list[torch.Tensor], made: torch.Tensor) -> None:
        if cause := self._origins.note_made(name, inputs, made, self._line()):
            self._note("cut", cause=cause, how=name)

    def _note_edit(self, name: str, tensor: torch.Tensor) -> None:
        line = self._line()
        made = self._origins.made.get(id(tensor))
        if name == "zero_" and self._is_a_grad(tensor):
            self._note("clear")
            return
        self._origins.edited.setdefault(id(tensor), line)
        through = made.op if made is not None and made.op in ("data", "detach") else None
        self._note("edit", how=name, through=through, target=id(tensor), grad_mode=torch.is_grad_enabled())

    def _is_a_grad(self, tensor: torch.Tensor) -> bool:
        for made in self._origins.made.values():
            if made.tensor.is_leaf and made.tensor.requires_grad and made.tensor.grad is tensor:
                self._cleared[id(made.tensor)] = self._line()
                return True
        return False

    def _flag(self, tensor: torch.Tensor, on: bool) -> None:
        made = self._origins.made.get(id(tensor))
        used = made is not None and made.first_use is not None and not made.tracked_at_use
        patched = on and made is not None and made.op not in ("given", *BUILDERS, "detach", "clone", "data")
        self._origins.flagged[id(tensor)] = self._line()
        has_cut = self._origins.cut_above(tensor)
        self._note(
            "flag",
            on=on,
            after_use=bool(on and used),
            scalar=tensor.numel() == 1,
            patched=bool(patched and tensor.is_leaf and not tensor.requires_grad),
            parameter=isinstance(tensor, torch.nn.Parameter),
            cut=has_cut and has_cut[0],
            target=id(tensor),
        )

    def _retain(self, run: Callable[[], Any], tensor: torch.Tensor) -> Any:
        late = any(tensor.grad_fn in path for path in self._paths)
        cut = self._origins.cut_above(tensor)
        event = self._note("retain_grad", late=late, leaf=tensor.is_leaf, cut=cut, raised=True)
        result = run()
        event["raised"] = False
        self._retained.setdefault(id(tensor), event)
        return result

    def _backward(self, run: Callable[[], Any], roots: list[torch.Tensor], kwargs: dict[str, Any]) -> Any:
        if self._inside_backward:  # Tensor.backward goes on to torch.autograd.backward: one pass, one event
            return run()
        path = set().union(*(nodes_below(root.grad_fn) for root in roots))
        leaf_root = any(self._origins.flagged.get(id(root)) is not None and root.grad_fn is None for root in roots)
        cuts = [cut for root in roots if (cut := self._origins.cut_above(root))]
        event = self._note(
            "backward",
            retain_graph=bool(kwargs.get("retain_graph") or kwargs.get("create_graph")),
            inputs=[id(tensor) for tensor in tensors_in(kwargs.get("inputs"))],
            again=self._again(path),
            patched=leaf_root,
            leaf_root=any(root.grad_fn is None for root in roots),
            unreached=any(
                made.tensor.is_leaf and made.tensor.requires_grad and not on_path(path, made.tensor)
                for root in roots
                for made in self._origins.upstream(root)
            ),
            cut=cuts[0] if cuts else None,
            late_flag=self._origins.late_flag(roots),
            untracked=self._origins.untracked_maker(roots),
            raised=True,
        )
        for tensor, hook in self._hooked:
            hook["reached"] = hook["reached"] or on_path(path, tensor)
        self._inside_backward = True
        try:
            result = run()
        finally:
            self._inside_backward = False
        event["raised"] = False
        self._paths.append(path)
        return result

    def _again(self, path: set[Any]) -> bool:
        """Whether an earlier pass went through the same operations (leaves are none), and so had to keep the graph."""
        inner = {node for node in path if not hasattr(node, "variable")}
        again = any(inner & earlier for earlier in self._paths)
        if again:
            for event in self.events:
                if event["op"] in ("backward", "grad"):
                    event["needed"] = True
        return again

    def _functional(self, run: Callable[[], Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        outputs, inputs = list(tensors_in(args[0])), list(tensors_in(args[1]))
        path = set().union(*(nodes_below(output.grad_fn) for output in outputs))
        lost = [tensor for tensor in inputs if not on_path(path, tensor)]
        self._again(path)
        event = self._note(
            "grad",
            asked=[id(tensor) for tensor in inputs],
            allow_unused=bool(kwargs.get("allow_unused")),
            materialize=bool(kwargs.get("materialize_grads")),
            retain_graph=bool(kwargs.get("retain_graph") or kwargs.get("create_graph")),
            lost=[self._whence(tensor) for tensor in lost],
            cut=next((cut for output in outputs if (cut := self._origins.cut_above(output))), None),
            late_flag=self._origins.late_flag(outputs),
            raised=True,
        )
        result = run()
        event["raised"] = False
        event["none"] = any(gradient is None for gradient in result)
        self._paths.append(path)
        return result

    def _read(self, tensor: torch.Tensor, result: torch.Tensor | None) -> None:
        if not self._direct():
            return
        self._note(
            "read",
            none=result is None,
            backward_before=any(e["op"] == "backward" and not e["raised"] for e in self.events),
            **self._whence(tensor),
            retains=tensor.retains_grad,
            on_path=self._reached(tensor),
            retained=self._retained.get(id(tensor)),
            cleared=self._cleared.get(id(tensor)),
        )

    def _whence(self, tensor: torch.Tensor) -> dict[str, Any]:
        made = self._origins.made.get(id(tensor))
        return {
            "leaf": tensor.is_leaf,
            "requires": tensor.requires_grad,
            "parameter": isinstance(tensor, torch.nn.Parameter),
            "target": id(tensor),
            "made_by": made.op if made else "given",
            "from_leaf": self._origins.from_leaf(tensor),
            "modified": self._origins.edited.get(id(tensor)) if self._origins.moved_off(tensor) else None,
            "made_line": made.line if made else None,
            "cut": self._origins.cut_above(tensor),
            "flag_line": self._origins.flagged.get(id(tensor)),
            "late_flag": self._origins.used_untracked(tensor),
        }

    # ---- where a tensor stands

    def _reached(self, tensor: torch.Tensor) -> bool:
        return any(on_path(path, tensor) for path in self._paths)


_THIN = [str(sys.modules[name].__file__) for name in ("torch._tensor", "torch.autograd", "torch.utils._contextlib")]
