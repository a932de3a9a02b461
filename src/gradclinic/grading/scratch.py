"""The folder that a child may write in: how full it is, and how it is removed, whatever was made in it.

The limit of a file's size bounds one file and not their number, and no layer of the confinement counts them.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import sys
import tempfile
from itertools import count
from pathlib import Path

_made: set[Path] = set()  # a signal can come between any two lines of who removes them
MOST_BYTES, MOST_FILES = 64 * 2**20, 1000
_FILE_BYTES = 2**20  # the most that one file of a confined child can hold


class Scratch:
    """`folder` is the child's; `trace` lies beside it, out of its reach by name."""

    def __init__(self, below: Path | None = None) -> None:
        self._path = Path(tempfile.mkdtemp(prefix="gradclinic-", dir=below))
        _made.add(self._path)
        self.folder, self.trace = self._path / "empty", self._path / "trace"
        self.folder.mkdir()

    def overfull(self, pid: int | None = None) -> bool:
        """Whether it holds more than it may: in its files, and in deleted ones that the process still has mapped.

        Deleted files that are only open are not seen; their number and size are bounded by the limits of the child.
        """
        files, size, todo = 0, 0, [str(self.folder)]
        if pid is not None:
            files = self._mapped(pid)
            size = files * _FILE_BYTES
        while todo:
            try:
                with os.scandir(todo.pop()) as entries:
                    for entry in entries:
                        files += 1
                        size += entry.stat(follow_symlinks=False).st_size
                        if entry.is_dir(follow_symlinks=False):
                            todo.append(entry.path)
                        if files > MOST_FILES or size > MOST_BYTES:
                            return True
            except FileNotFoundError:
                continue
            except OSError:  # too deep for a path, or closed to us: no place to hide files in
                return True
        return size > MOST_BYTES

    def _mapped(self, pid: int) -> int:
        if sys.platform != "linux":
            return 0
        with contextlib.suppress(OSError):
            maps = Path(f"/proc/{pid}/maps").read_text(errors="replace")
            return sum(line.endswith(" (deleted)") for line in maps.splitlines() if str(self._path) in line)
        return 0

    def remove(self) -> None:
        remove(self._path)
        _made.discard(self._path)


@atexit.register
def _remove_what_is_left() -> None:
    for path in _made:
        remove(path)


def remove(path: Path) -> None:
    """A folder with all that is in it, level by level: each folder in it comes to the top, so that none is too deep,
    and is opened if it is closed.

    What cannot be removed stays behind.
    """
    names, todo = (f"{secrets.token_hex(8)}-{n}" for n in count()), [path]
    with contextlib.suppress(OSError):
        while todo:
            folder = todo.pop()
            for entry in list(os.scandir(folder)):
                if entry.is_dir(follow_symlinks=False):
                    os.chmod(entry.path, 0o700)
                    todo.append(path / next(names))
                    os.rename(entry.path, todo[-1])
                else:
                    os.unlink(entry.path)
            if folder != path:
                folder.rmdir()
        path.rmdir()
