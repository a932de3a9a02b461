"""A file name for a learner: made from an id that anybody may have chosen."""

from __future__ import annotations

import hashlib
import re

_LONGEST = 100
_ODD = re.compile(r"[^A-Za-z0-9@+._-]")
_PLAIN = re.compile(r"[a-z0-9@+_-]([a-z0-9@+._-]*[a-z0-9@+_-])?")
_MARKED = re.compile(r".*_[0-9a-f]{16}", re.DOTALL)
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # Windows opens these whatever follows the dot


def file_name(learner: str) -> str:
    """The name, without an ending, of the files that belong to this id: the id itself where it is safe.

    At most 100 of ASCII letters, digits and `-_.@+`, no dot in front. Where something had to be changed, and where
    letters are upper-case (two ids may be one name on a disk that ignores case), a hash of the id follows. An id that
    looks as if it ended in such a hash gets one too, so no learner can choose the name of another's file.
    """
    plain = _PLAIN.fullmatch(learner) and not _MARKED.fullmatch(learner) and not _DEVICE.fullmatch(learner)
    if plain and len(learner) <= _LONGEST:
        return learner
    digest = hashlib.sha256(learner.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    safe = _ODD.sub("_", learner)
    if safe.startswith(".") or _DEVICE.fullmatch(safe):
        safe = f"_{safe}"
    return f"{safe[: _LONGEST - 17]}_{digest}"
