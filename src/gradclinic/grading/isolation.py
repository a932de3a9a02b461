"""How far a child can be confined on this machine: one word, and what is missing for a better one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from gradclinic.grading import landlock, namespaces, seccomp

LEVELS = ("process", "limits", "namespaces", "strict")  # from the weakest on


@dataclass(frozen=True)
class Isolation:
    """A level of `LEVELS`, and in words why it is no higher one."""

    level: str
    missing: tuple[str, ...] = ()

    def reaches(self, wanted: str) -> bool:
        return LEVELS.index(self.level) >= LEVELS.index(wanted)

    def without(self, missing: Sequence[str]) -> Isolation:
        """What is left of it when a child tells that it could not be given these."""
        level = "limits" if self.level == "strict" else self.level
        return Isolation(level, tuple(dict.fromkeys((*self.missing, *missing))))

    def __str__(self) -> str:
        return "; ".join((self.level, *self.missing))


@cache
def offered() -> Isolation:
    """What this machine offers: `strict` is landlock, seccomp and limits together; `namespaces` are bubblewrap's, and
    with them whatever of these there is; `limits` is a plain fork; `process` an interpreter for each child.
    """
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
    if sys.platform != "linux":
        return Isolation("process", tuple(missing))
    if (refused := namespaces.refusal()) is not None:
        return Isolation("limits", (*missing, refused))
    return Isolation("namespaces", tuple(missing))
