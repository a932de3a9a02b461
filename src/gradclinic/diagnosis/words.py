"""Numbers and lists as a sentence has them."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 3  # places and names that are listed before "and 4 more"


def some(names: Sequence[str]) -> str:
    """The first few of many names."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def many(count: int, what: str, ending: str = "s") -> str:
    """A number and its noun."""
    return f"{count} {what}" if count == 1 else f"{count} {what}{ending}"
