"""The folder of results: whose it is, its lock, its secret, and the scratch folder of a run."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gradclinic.classroom.rows import Journal
from gradclinic.course import CourseError
from gradclinic.grading import scratch

try:
    import fcntl
except ImportError:  # Windows: two graders at once are not told apart there
    fcntl = None  # type: ignore[assignment]


class ResultsFolder:
    """RESULTS. What only the grader needs lies in `.grade`, which nobody else may read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.private = root / ".grade"
        self.secret = self.private / "secret"
        self.journal = Journal(root / "results.jsonl")
        self._scratch_note = self.private / "scratch"

    @contextlib.contextmanager
    def open(self) -> Iterator[Path]:
        """Holds the folder for one run, and gives it a scratch folder. Raises CourseError if it is not to be used.

        What a killed run left behind is removed first.
        """
        if self.root.exists() and not self.root.is_dir():
            raise CourseError(f"{self.root} is no folder. Name another one with --out.")
        if self.root.is_dir() and any(self.root.iterdir()) and not self.private.is_dir():
            raise CourseError(f"{self.root} holds something else than results. Name a new folder with --out.")
        self.private.mkdir(parents=True, exist_ok=True)
        self.private.chmod(0o700)
        with self._locked():
            self._clear()
            place = Path(tempfile.mkdtemp(prefix="gradclinic-class-"))
            self._scratch_note.write_text(str(place))
            try:
                yield place
            finally:
                self._clear()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.private / "lock").open("w") as lock:
            if fcntl:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise CourseError(f"Another grader is at work in {self.root}. Let it end, or stop it.") from None
            yield

    def _clear(self) -> None:
        if self._scratch_note.exists():
            left = Path(self._scratch_note.read_text())
            if left.name.startswith("gradclinic-class-"):
                scratch.remove(left)  # a killed run may have left folders deeper than a recursion can go
            self._scratch_note.unlink()
