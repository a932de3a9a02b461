"""Runs inside the lesson's kernel: prints and warnings reach the page in the order in which they were written."""

from __future__ import annotations

import sys
from typing import Any


def keep_order() -> None:
    """From the next cell on, stdout and stderr hand over each piece at once, not all of one and then the other."""
    # The streams are replaced, because IPython puts its own `write` on them around each cell.
    sys.stdout, sys.stderr = _Unbuffered(sys.stdout), _Unbuffered(sys.stderr)


class _Unbuffered:
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> Any:
        written = self._stream.write(text)
        self._stream.flush()
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
