"""Numbers and arrays that torch has handed out, to be recognised when they come back."""

from __future__ import annotations

import weakref
from typing import Any


class Handed:
    """What was handed out, with the event that did it; it comes back if it is the very same object.

    A number is kept, so that its identity stays its own; an array is watched by a weak reference.
    """

    MOST = 1_000

    def __init__(self) -> None:
        self.kept: dict[int, tuple[Any, int]] = {}

    def __bool__(self) -> bool:
        return bool(self.kept)

    def add(self, value: Any, event: int) -> None:
        if isinstance(value, bool) or (isinstance(value, int) and -6 < value < 257):
            return  # Python has one object for each of these
        if isinstance(value, list):
            if len(value) > 64:
                return
            for one in value:
                self.add(one, event)
        keeper: Any = (lambda: value) if isinstance(value, int | float | complex | list) else weakly(value)
        if keeper is not None:
            self.kept[id(value)] = keeper, event
            while len(self.kept) > self.MOST:
                del self.kept[next(iter(self.kept))]

    def find(self, value: Any) -> int:
        """The index of the event that handed this object out, or an array that this one is a view of; 0: none."""
        for _ in range(8):
            known = self.kept.get(id(value))
            if known is not None and known[0]() is value:
                return known[1]
            value = getattr(value, "base", None)
            if value is None:
                break
        return 0


def weakly(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:
        return None
