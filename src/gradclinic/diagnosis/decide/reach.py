"""Whether the graph of a loss reaches a tensor: asked of the autograd engine, which starts and is stopped at once.

A hook on a view of the loss, made for this question alone, is the first thing that the engine runs, and it raises. So
no derivative is computed, no hook of anybody else fires, nothing is accumulated and nothing freed; a graph that an
earlier `backward()` has freed answers as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from . import nodes


class _Stop(Exception):
    """Raised in the engine before it has done anything."""


def reached(losses: Sequence[torch.Tensor], targets: Sequence[torch.Tensor]) -> list[bool | None]:
    """Whether gradients flow from any of the losses to each target; None where it cannot be told.

    It cannot be told for one of several results of an operation (`split`, `unbind`) in a graph that is too large to
    look at: the engine tells such results apart only by walking it.
    """
    roots = [loss for loss in losses if loss.requires_grad]
    found: list[bool | None] = [False] * len(targets)
    if not roots:
        return found
    with _harmless():
        starts = [_start(root) for root in roots]
        leaves = [index for index, target in enumerate(targets) if target.requires_grad and target.is_leaf]
        for index, answer in zip(leaves, _leaves(starts, [targets[index] for index in leaves]), strict=True):
            found[index] = answer
        for index, target in enumerate(targets):
            if target.requires_grad and not target.is_leaf:
                found[index] = _one(starts, target) and _exact(roots, target)
    return found


@contextmanager
def unrecorded() -> Iterator[None]:
    """A live trace must not take what the question does for something that the program did."""
    from ..record.doors import recorder  # the recorder comes to know of the graph only by its tensors

    active = recorder()
    if active is None:
        yield
        return
    active.silent += 1
    try:
        yield
    finally:
        active.silent -= 1


@contextmanager
def _harmless() -> Iterator[None]:
    """Records operations although the caller may not, and keeps traces, subclasses and anomaly mode out of it."""
    with unrecorded(), torch.inference_mode(False), torch.enable_grad(), torch._C.DisableTorchFunction():
        if not torch.is_anomaly_enabled():
            yield
            return
        with torch.autograd.set_detect_anomaly(False, torch.is_anomaly_check_nan_enabled()):
            yield


def _start(loss: torch.Tensor) -> torch.Tensor:
    return loss.view_as(loss) if _is_plain(loss) else loss.clone()


def _is_plain(tensor: torch.Tensor) -> bool:
    """Whether it has views; torch looks a leaf's node up by one."""
    return tensor.layout is torch.strided and not tensor.is_nested


def _run(
    starts: Sequence[torch.Tensor], engine: Callable[[list[torch.Tensor]], Any], asked: Callable[[], None]
) -> None:
    """Lets the engine run until the first of `starts` is about to be executed, and asks there."""

    def stop(gradients: Any) -> None:
        asked()
        raise _Stop

    handles = [start.grad_fn.register_prehook(stop) for start in starts if start.grad_fn is not None]
    try:
        engine([start.detach() for start in starts])
    except _Stop:
        pass
    finally:
        for handle in handles:
            handle.remove()


def _one(starts: Sequence[torch.Tensor], target: torch.Tensor) -> bool:
    """Asks for one target, by name: the engine executes a start only if it leads there."""
    hits: list[bool] = []
    _run(
        starts,
        lambda ones: torch.autograd.grad(starts, target, ones, retain_graph=True, allow_unused=True),
        lambda: hits.append(True),
    )
    return bool(hits)


def _all_leaves(starts: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor]) -> list[bool]:
    """Asks for all leaves in one run, by a private function of torch."""
    accumulators = [_accumulator(leaf) for leaf in leaves]
    answers: list[bool] = []
    _run(
        starts,
        lambda ones: torch.autograd.backward(starts, ones, retain_graph=True),
        lambda: answers.extend(node is not None and torch._C._will_engine_execute_node(node) for node in accumulators),
    )
    return answers


def _accumulator(leaf: torch.Tensor) -> Any:
    """The node that adds up the gradient of a leaf. A view of a parameter that was made without recording also passes
    for a leaf that requires grad, and has none: nothing is ever delivered to it.
    """
    try:
        return torch.autograd.graph.get_gradient_edge(leaf).node
    except AssertionError:
        return None


def _leaves(starts: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor]) -> list[bool]:
    if leaves and all(_is_plain(leaf) for leaf in leaves) and _private_function_works():
        return _all_leaves(starts, leaves)
    return [_one(starts, leaf) for leaf in leaves]


_works: list[bool] = []


def _private_function_works() -> bool:
    """Whether this torch answers rightly for a graph of one used and one unused leaf; tried once."""
    if not _works:
        used, unused = (torch.empty(1, requires_grad=True) for _ in range(2))
        try:
            _works.append(_all_leaves([used.view_as(used)], [used, unused]) == [True, False])
        except Exception:
            _works.append(False)
    return _works[0]


def _exact(roots: list[torch.Tensor], target: torch.Tensor) -> bool | None:
    """For one of several results of a node that is reached: whether it is this one."""
    node = nodes.node_of(target)
    if node is None:
        return None  # no more nodes may be made
    if nodes.outputs(node) == 1 or any(root is target for root in roots):
        return True
    return nodes.output_is_used(roots, node, target.output_nr)
