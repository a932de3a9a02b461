"""Runs one of our own programs under a trace that covers only a part of it."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, Literal

Cut = Literal["begins", "ends"]


class PartOfTheRun:
    """A trace that begins, or ends, when the function is about to run its line number `step` (counted as run)."""

    def __init__(self, code: CodeType, cut: Cut, step: int) -> None:
        self.code, self.cut, self.step = code, cut, step
        self.seen: set[int] = set()
        self.trace: Any = None

    @property
    def reached(self) -> bool:
        return len(self.seen) > self.step

    def __enter__(self) -> PartOfTheRun:
        if self.cut == "ends":
            self._begin()
        sys.settrace(lambda frame, event, argument: self._line if frame.f_code is self.code else None)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)
        self._end()

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and frame.f_lineno not in self.seen:
            self.seen.add(frame.f_lineno)
            if len(self.seen) == self.step + 1:
                if self.cut == "begins":
                    self._begin()
                else:
                    self._end()
        return self._line

    def _begin(self) -> None:
        from gradclinic import trace

        self.trace = trace()
        self.trace.__enter__()

    def _end(self) -> None:
        if self.trace:
            self.trace.__exit__(None, None, None)
            self.trace = None
