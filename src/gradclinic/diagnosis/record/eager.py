"""Compiled code runs as it is written while a trace is on: the trace sees nothing of it otherwise."""

from __future__ import annotations

import sys
from typing import Any

import torch

NOTE = "While the trace was on, compiled models ran uncompiled (stance force_eager), so that it could see them."


class Eager:
    """Sets the stance where something has been compiled, and says so in `notes`; `end` puts back what was before."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes
        self._stance: Any = None
        if _something_is_compiled():
            self.compiled()

    def compiled(self) -> None:
        """Something has been compiled, before the trace or in it."""
        if self._stance is None and hasattr(torch.compiler, "set_stance"):
            self._stance = torch.compiler.set_stance("force_eager")
            self._notes.append(NOTE)

    def end(self) -> None:
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None


def _something_is_compiled() -> bool:
    """Whether `torch.compile` was called; yes where this torch does not tell. Importing the compiler would be slow."""
    if "torch._dynamo" not in sys.modules:
        return False
    frames = sys.modules.get("torch._dynamo.eval_frame")
    backends = getattr(frames, "cached_backends", {0: "unknown"})
    return any(one is not None for one in backends.values())  # importing the compiler leaves a None there
