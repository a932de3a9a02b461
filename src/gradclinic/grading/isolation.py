"""How far a child can be confined on this machine: one word, and what is missing for a better one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

from gradclinic.grading import landlock, seccomp

LEVELS = ("process", "limits", "strict")  # from the weakest on


@dataclass(frozen=True)
class Isolation:
    """A level of `LEVELS`, and in words why it is no higher one."""

    level: str
    missing: tuple[str, ...] = ()

    def reaches(self, wanted: str) -> bool:
        return LEVELS.index(self.level) >= LEVELS.index(wanted)

    def __str__(self) -> str:
        return "; ".join((self.level, *self.missing))


@cache
def offered() -> Isolation:
    """What this machine offers: `strict` is landlock, seccomp and limits together."""
    missing = []
    try:
        landlock.Rules().close()
    except OSError as error:
        missing.append(f"no landlock ({error.strerror})")
    try:
        seccomp.Filter()
    except seccomp.Unsupported as error:
        missing.append(f"no seccomp ({error})")
    if not missing:
        return Isolation("strict")
    return Isolation("limits" if hasattr(os, "fork") else "process", tuple(missing))
