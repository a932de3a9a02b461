"""How far a long piece of work is: a bar on a terminal, a line now and then on a pipe."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from gradclinic.cli.console import note

if TYPE_CHECKING:
    import rich.progress

_EVERY = 10.0  # seconds between two lines on a pipe


class Progress:
    """Counts up to a total, with the rate and the time that is left. Says nothing if there is nothing to do."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what = total, what
        self._done = 0
        self._begun = self._told = 0.0
        self._bar = self._made() if total and sys.stderr.isatty() else None

    def _made(self) -> rich.progress.Progress:
        import rich.progress
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        bar = rich.progress.Progress(
            TextColumn(self._what),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task("", total=self._total, rate="")
        return bar

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._done == 1:  # what came before was the start of the workers
            self._begun = self._told = now
            return
        rate = (self._done - 1) / max(now - self._begun, 1e-9)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done, rate=f"{rate:.1f}/s")
        elif now - self._told >= _EVERY and self._done < self._total:
            self._told = now
            left = (self._total - self._done) / rate
            note(f"{self._done} of {self._total} {self._what}, {rate:.1f}/s, about {_time(left)} left")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
