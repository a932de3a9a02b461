"""`with trace():` watches what a program does with tensors, so that a diagnosis can name the line.

It changes nothing: no tensor lives longer, no graph node gets a Python wrapper, warnings and tracebacks name the
user's own lines. Each thread has its own trace, a child made by fork has none, and a trace inside a trace joins it.
"""

from __future__ import annotations

import os
import threading

from .record.doors import close_doors, forget_doors, open_doors, set_recorder
from .record.eager import Eager
from .record.ledger import Trace as Trace  # others import it from here
from .record.recorder import Recorder

_local = threading.local()


class trace:
    """Records the operations of this thread while the block runs; `as` gives the Trace.

    values: also keep every intermediate tensor and its gradient, to find where a zero or a nan begins. This costs
    memory, and `.grad` of intermediate tensors is filled.
    """

    def __init__(self, values: bool = False) -> None:
        self._values = values
        self._joined: list[_Session] = []

    def __enter__(self) -> Trace:
        session = getattr(_local, "session", None)
        if session is None or session.ended:
            session = _local.session = _Session(self._values)
        session.users += 1
        self._joined.append(session)
        return session.trace

    def __exit__(self, *exc: object) -> None:
        if self._joined:
            self._joined.pop().leave()


def current() -> Trace | None:
    """The trace that is on in this thread, else the one that ended last."""
    session = getattr(_local, "session", None)
    return session.trace if session is not None else getattr(_local, "last", None)


def is_live(found: Trace) -> bool:
    """Whether this trace is still on in this thread: what it has not seen has not happened here."""
    session = getattr(_local, "session", None)
    return session is not None and session.trace is found


class _Session:
    """One recorder in one thread, from the first `with trace()` to the end of the last one that joined it."""

    def __init__(self, values: bool) -> None:
        self.users = 0
        self.trace = Trace(values)
        self._recorder = Recorder(self.trace)
        self._eager = Eager(self.trace.notes)
        self._recorder.compiled = self._eager.compiled
        open_doors()
        set_recorder(self._recorder)
        self._recorder.put_in()

    @property
    def ended(self) -> bool:
        return self._recorder.off

    def leave(self) -> None:
        self.users -= 1
        if self.users == 0:
            self.end()

    def end(self) -> None:
        """Takes its own mode out of the stack, wherever that stands. In another thread it is only switched off."""
        if self._recorder.off:
            return
        self.drop()
        close_doors()
        self._eager.end()
        if getattr(_local, "session", None) is self:
            set_recorder(None)
            _local.session, _local.last = None, self.trace

    def drop(self) -> None:
        self._recorder.off = True
        self._recorder.remove()


def _in_child() -> None:
    session = getattr(_local, "session", None)
    if session is not None:
        session.drop()
    set_recorder(None)
    forget_doors()
    _local.session = _local.last = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
