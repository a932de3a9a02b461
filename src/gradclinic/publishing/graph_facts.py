"""The facts of an executed graph: which nodes the loss reaches, what they are called, and who is left beside the path.

`collect` runs inside the lesson's kernel, right after the cell that a `[graph: cell]` names. It hands over plain data,
so that the drawing needs neither a kernel nor torch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from gradclinic.diagnosis.graph import Facts, Node, operation

_IPYTHON = {"In", "Out", "exit", "quit", "get_ipython", "open"}
MIME = "application/vnd.gradclinic.graph+json"
_FAR = 200  # a walk ends here: nothing that large is drawn


def collect(namespace: Mapping[str, Any], root: str, seen: Collection[str], asked: Collection[str]) -> Facts:
    """The graph behind `namespace[root]`, and the tensors that it does not reach.

    A tensor is a gap when its name is among `seen` (the names in the pictured cell), nothing leads to it, and it is
    either tracked or `asked` for its gradient somewhere in the notebook. Raises LookupError when `root` is no tensor.
    """
    import torch

    loss = namespace.get(root)
    if not isinstance(loss, torch.Tensor):
        raise LookupError(f"there is no tensor called {root}")
    functions, reached = _walk(loss)
    names = _names(namespace)
    nodes = _path(loss, root, functions, reached, names)
    return Facts(tuple(nodes + _gaps(loss, functions, reached, names, len(nodes), seen, asked)))


def show(namespace: Mapping[str, Any], root: str, seen: Collection[str], asked: Collection[str]) -> None:
    """Puts the facts, or why there are none, into the output of the kernel's present cell."""
    from IPython.display import publish_display_data

    try:
        told = asdict(collect(namespace, root, seen, asked))
    except LookupError as error:
        told = {"error": str(error.args[0])}
    publish_display_data({MIME: told})


def _walk(loss: Any) -> tuple[list[Any], set[tuple[int, int]]]:
    """The functions that the loss reaches, nearest first, and each (function, output) pair on the way.

    The list keeps the wrappers alive: torch gives the same wrapper for the same node only as long as one lives.
    """
    functions = [loss.grad_fn] if loss.grad_fn is not None else []
    known = {id(function) for function in functions}
    reached = {(id(loss.grad_fn), loss.output_nr)}
    for function in functions:
        for parent, output in function.next_functions:
            if parent is None:
                continue
            reached.add((id(parent), output))
            if id(parent) not in known and len(functions) < _FAR:
                known.add(id(parent))
                functions.append(parent)
    return functions, reached


def _names(namespace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Every tensor of the notebook under its name: plain names first, then `steps[0]` and `fc.weight`."""
    import torch

    plain: list[tuple[str, Any]] = []
    inside: list[tuple[str, Any]] = []
    for name, value in list(namespace.items()):
        if name.startswith("_") or name in _IPYTHON:
            continue
        if isinstance(value, torch.Tensor):
            plain.append((name, value))
        elif isinstance(value, torch.nn.Module):
            inside += [(f"{name}.{inner}", parameter) for inner, parameter in value.named_parameters()]
        elif isinstance(value, (list, tuple)):
            inside += [(f"{name}[{i}]", item) for i, item in enumerate(value) if isinstance(item, torch.Tensor)]
        elif isinstance(value, dict):
            inside += [(f"{name}[{key!r}]", item) for key, item in value.items() if isinstance(item, torch.Tensor)]
    return plain + inside


def _path(
    loss: Any, root: str, functions: list[Any], reached: set[tuple[int, int]], names: list[tuple[str, Any]]
) -> list[Node]:
    if not functions:
        missing = "" if loss.requires_grad else "no grad_fn: nothing leads back from here"
        return [Node("loss", "leaf" if loss.requires_grad else "tensor", root, _has_grad(loss), (), missing)]
    index = {id(function): i for i, function in enumerate(functions)}
    nodes = []
    for i, function in enumerate(functions):
        leaf = getattr(function, "variable", None)
        named = [(n, t) for n, t in names if (t is leaf if leaf is not None else _is_from(t, function, reached))]
        name, tensor = (root, loss) if i == 0 else named[0] if named else ("", leaf)
        to = tuple(dict.fromkeys(index[id(f)] for f, _ in function.next_functions if f is not None and id(f) in index))
        kind = "loss" if i == 0 else "leaf" if leaf is not None else "operation"
        what = "leaf" if leaf is not None else operation(function.name())
        nodes.append(Node(kind, what, name, None if tensor is None else _has_grad(tensor), to))
    return nodes


def _gaps(
    loss: Any,
    functions: list[Any],
    reached: set[tuple[int, int]],
    names: list[tuple[str, Any]],
    first: int,
    seen: Collection[str],
    asked: Collection[str],
) -> list[Node]:
    leaves = {id(f.variable) for f in functions if hasattr(f, "variable")}
    found: dict[int, tuple[str, Any]] = {}
    for name, tensor in names:
        wanted = name in seen and (tensor.requires_grad or (name in asked and tensor.is_floating_point()))
        on_path = id(tensor) in leaves or (tensor.grad_fn is not None and _key(tensor) in reached)
        if wanted and not on_path and tensor is not loss:
            found.setdefault(id(tensor), (name, tensor))
    index = {id(function): i for i, function in enumerate(functions)}
    wrappers = [tensor.grad_fn for _, tensor in found.values()]  # kept alive, as in _walk
    index |= {id(f): first + i for i, f in enumerate(wrappers) if f is not None and id(f) not in index}
    nodes = []
    for name, tensor in found.values():
        what = "leaf" if tensor.requires_grad else "tensor"
        if tensor.grad_fn is not None:
            what = operation(tensor.grad_fn.name())
        missing = "not reached from the loss" if tensor.requires_grad else "requires_grad=False"
        nodes.append(Node("gap", what, name, _has_grad(tensor), tuple(_sources(tensor.grad_fn, index)), missing))
    return nodes


def _sources(function: Any, index: dict[int, int]) -> Iterator[int]:
    """The nearest drawn nodes that a gap was computed from; unnamed steps between them are passed over."""
    if function is None:
        return
    waiting, met = [f for f, _ in function.next_functions if f is not None], {id(function)}
    for parent in waiting:
        if id(parent) in met:
            continue
        met.add(id(parent))
        if id(parent) in index:
            yield index[id(parent)]
        elif len(waiting) < _FAR:
            waiting += [f for f, _ in parent.next_functions if f is not None]


def _key(tensor: Any) -> tuple[int, int]:
    return id(tensor.grad_fn), tensor.output_nr


def _is_from(tensor: Any, function: Any, reached: set[tuple[int, int]]) -> bool:
    return tensor.grad_fn is function and _key(tensor) in reached


def _has_grad(tensor: Any) -> bool:
    # Reading .grad of a tensor that keeps none would warn, in the middle of somebody's lesson.
    return bool((tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None)
