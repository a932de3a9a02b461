"""A lesson's code, run now, in a process of its own; what each cell put out comes back in order."""

from __future__ import annotations

import json
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from gradclinic.course import CourseError
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.scrub import scrub

CELL_SECONDS = 60.0


class Live:
    """The process runs ahead through all cells; `next_output` waits for the one whose turn it is."""

    def __init__(self, sources: Sequence[str], seconds: float = CELL_SECONDS) -> None:
        self._seconds, self._mark = seconds, secrets.token_hex(16)
        self._said: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()
        self._folder = tempfile.TemporaryDirectory(prefix="gradclinic-", ignore_cleanup_errors=True)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
        environment.pop("PYTHONWARNINGS", None)  # a person's own filters must not change what a lesson shows
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("cells.py")), self._mark],
            cwd=self._folder.name,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        self._listener = threading.Thread(target=self._listen, args=(list(sources),), daemon=True)
        self._listener.start()

    def _listen(self, sources: list[str]) -> None:
        assert self._process.stdin
        assert self._process.stdout
        with suppress(OSError), self._process.stdin as code:  # it may be gone before it has read everything
            json.dump(sources, code)
        with suppress(ValueError), self._process.stdout as lines:  # or in the middle of a line
            for line in lines:
                plain, marked, told = line.partition(self._mark)
                if plain:
                    self._said.put(("prints", plain))
                if marked:
                    kind, text = json.loads(told)
                    self._said.put((kind, text))
        self._said.put(None)

    def next_output(self) -> tuple[Piece, ...]:
        """What the next cell put out. Raises CourseError if it does not end in time, or ends the process."""
        end = time.monotonic() + self._seconds
        pieces: list[Piece] = []
        while True:
            try:
                said = self._said.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise CourseError(f"This cell did not end within {self._seconds:g} seconds, and was stopped.") from None
            if said is None:
                raise CourseError(f"Python itself ended in this cell, with exit code {self._process.wait()}.")
            kind, text = said
            if kind == "done":
                return tuple(Piece(piece.kind, scrub(piece.text)) for piece in pieces)
            if pieces and pieces[-1].kind == kind:
                text = pieces.pop().text + text
            pieces.append(Piece(kind, text))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join(1)
        self._folder.cleanup()
