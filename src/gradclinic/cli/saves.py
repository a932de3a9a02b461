"""Whether a file was saved: events make it quick, looking makes it sure.

Editors write in place, or rename a temporary file over the old one, or move the old one away first; some file systems
send no events at all. So an event only says "look now", and a look compares what the file is with what it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

_DEBOUNCE, _STEP = 50, 10  # milliseconds: wait for the rest of a save, but not longer


def listen(folder: Path, put: Callable[[], None], failed: Callable[[], None]) -> None:
    """Calls `put` from a thread after changes below the folder; `failed`, once, if there are no events here."""

    def work() -> None:
        try:
            from watchfiles import watch

            for _ in watch(folder, watch_filter=None, debounce=_DEBOUNCE, step=_STEP, raise_interrupt=False):
                put()
        except Exception:
            failed()

    threading.Thread(target=work, daemon=True).start()


def look(file: Path) -> tuple[int, int, int] | None:
    """What a save changes: the file's number, size and time. None while there is no file, or an empty one."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return (stat.st_ino, stat.st_size, stat.st_mtime_ns) if stat.st_size else None
