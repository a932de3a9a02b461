"""What a replayed call has told, and how it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradclinic.causes import CAUSES

Event = dict[str, Any]


@dataclass(frozen=True)
class Explanation:
    """A cause id and the line to name; either may be unknown. `root` stands behind a cause that is a symptom."""

    cause: str | None = None
    line: int | None = None
    root: str | None = None

    def is_sound(self, lines: int) -> bool:
        """Whether it names causes of the catalogue and a line that a file of this length has."""
        causes = (one is None or one in CAUSES for one in (self.cause, self.root))
        return all(causes) and (self.line is None or (type(self.line) is int and 1 <= self.line <= lines))


def last(events: Sequence[Event], op: str, **facts: Any) -> Event | None:
    """The last event of a kind with these facts."""
    matching = (e for e in reversed(events) if e["op"] == op and all(e.get(k) == v for k, v in facts.items()))
    return next(matching, None)


def at(event: Event | None, cause: str) -> Explanation | None:
    """The cause, at the line of the event, if there was one."""
    return None if event is None else Explanation(cause, event["line"])
