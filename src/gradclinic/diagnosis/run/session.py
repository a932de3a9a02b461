"""One run of a program under the trace, from its first line to the report behind its last output."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from pathlib import Path

from ..record.ledger import Trace
from ..trace import trace
from . import program
from .program import Program
from .report import Report
from .watch import Watch


def run(what: Program, *, values: bool, json: bool, file: Path | None) -> None:
    """Runs the program and leaves as it leaves; the report is written when all else is over, also atexit handlers."""
    last = _AtExit(json, file)
    atexit.register(last)  # the first to be registered is the last to be called
    with trace(values=values) as seen:
        watch = Watch(seen)
        seen.listeners.append(watch)
        error: BaseException | None = None
        try:
            program.run(what)
        except BaseException as raised:
            error = raised
            missing = program.is_missing_module(raised)
            if missing is not None:
                atexit.unregister(last)
                print(f"gradclinic: {missing}.", file=sys.stderr)
                raise SystemExit(2) from None
            program.hide_our_frames(raised)
            raise
        finally:
            with suppress(Exception):
                seen.listeners.remove(watch)
            if last.is_mine():
                last.report = _reported(what, seen, watch, error)
            error = None


def _reported(what: Program, seen: Trace, watch: Watch, error: BaseException | None) -> Report | str:
    try:
        return Report.of(what, seen, watch, error)
    except Exception as failure:
        return f"gradclinic: the report itself failed: {type(failure).__name__}: {failure}\n"


class _AtExit:
    """Writes the report, in the process that ran the program and in none of its children."""

    def __init__(self, json: bool, file: Path | None) -> None:
        self._json = json
        self._file = file
        self._process = os.getpid()
        self._stream = sys.stderr
        self._folder = os.getcwd()
        self.report: Report | str | None = None

    def is_mine(self) -> bool:
        return os.getpid() == self._process

    def __call__(self) -> None:
        if self.report is None or not self.is_mine():
            return
        text = self.report if isinstance(self.report, str) else self.report.rendered(self._json, self._folder)
        with suppress(Exception):
            sys.stdout.flush()  # else what is still in its buffer would come after the report
        if self._file is not None:
            with suppress(OSError):
                self._file.write_text(text, encoding="utf-8")
                return
        try:
            self._stream.write(text)
            self._stream.flush()
        except Exception:  # closed or detached by the program, or never there
            with suppress(OSError):
                os.write(2, text.encode(errors="backslashreplace"))
