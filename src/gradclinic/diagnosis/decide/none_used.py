"""An error about a None that was a `.grad`: which tensor had none, by the line that raised and the names in its frame.

Names are looked up where they stand, in variables, modules, lists and dicts; nothing of the user's is called for it.
"""

from __future__ import annotations

import ast
import types
from typing import Any

import torch
from torch import nn

from ..record.site import USER, Places, resolve
from .facts import gradient
from .places import frames


def tensor_without(error: BaseException) -> tuple[str, torch.Tensor] | None:
    """The tensor and how the line names it; None if the error is of another kind, or if two tensors fit."""
    if not isinstance(error, (AttributeError, TypeError)) or "nonetype" not in str(error).lower():
        return None
    places = Places()
    steps = [step for step in frames(error) if places.kind(step.tb_frame.f_code) == USER]
    if not steps:
        return None
    frame, source = steps[-1].tb_frame, resolve(steps[-1].tb_frame.f_code, steps[-1].tb_lasti).source
    found: dict[int, tuple[str, torch.Tensor]] = {}
    for owner in _owners(source):
        tensor = _value(owner, frame)
        if isinstance(tensor, torch.Tensor) and gradient(tensor) is None:
            found.setdefault(id(tensor), (ast.unparse(owner), tensor))
    return next(iter(found.values())) if len(found) == 1 else None


def _owners(line: str) -> list[ast.expr]:
    """Whatever `.grad` is read of in this line."""
    for body in ("", "\n    pass"):  # of an `if` or a `while`
        try:
            tree = ast.parse(line.strip() + body)
        except SyntaxError:  # also a line of a longer expression
            continue
        return [node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "grad"]
    return []


def _value(node: ast.expr, frame: types.FrameType) -> Any:
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, frame)
        if isinstance(owner, nn.Module):
            for held in (owner._parameters, owner._modules, owner._buffers):
                if node.attr in held:
                    return held[node.attr]
        return getattr(owner, "__dict__", {}).get(node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner, key = _value(node.value, frame), node.slice.value
        if isinstance(owner, (nn.Sequential, nn.ModuleList)):
            return owner._modules.get(str(key))
        if type(owner) in (list, tuple, dict):
            items: dict[Any, Any] = owner if isinstance(owner, dict) else dict(enumerate(owner))
            return items.get(key)
    return None
