"""What the intake reads: a file in a folder or in an archive, a file that cannot be used, an entry of SUBMISSIONS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

_JUNK = {"__macosx", "__pycache__", "venv", "site-packages", "node_modules", "thumbs.db", "desktop.ini"}


class Refused(Exception):
    """A file that is not used; its text says why, as a part of a sentence."""


@dataclass(frozen=True)
class File:
    """A regular file. `read(limit)` gives its bytes and raises Refused, also if there are more than `limit`.

    `path` is relative to SUBMISSIONS, with `/`, and goes on below the name of an archive; `modified` is local time.
    Of a file in a learner's archive it is the archive's own time: what stands inside, the learner wrote.
    """

    path: str
    modified: datetime | None
    read: Callable[[int], bytes]

    def moved(self, path: str) -> File:
        return replace(self, path=path)


@dataclass(frozen=True)
class Trouble:
    """Something that is not read, and why, as a part of a sentence."""

    path: str
    message: str

    def moved(self, path: str) -> Trouble:
        return replace(self, path=path)


Item: TypeAlias = File | Trouble


@dataclass(frozen=True)
class Tree:
    """One entry of SUBMISSIONS, with all that lies below it, by path."""

    name: str
    is_folder: bool
    items: Iterable[Item]


def is_junk(name: str) -> bool:
    """Whether a file or folder of this name is a by-product of some tool, and not handed in on purpose."""
    return name.startswith(".") or name.casefold() in _JUNK


def too_large(limit: int) -> Refused:
    return Refused(f"it is larger than {limit / 2**20:.0f} MiB; an answer has a few kB")
