"""Files of learners who are no longer in the class: what this tool made for them goes, and nothing else."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gradclinic.files import write_whole

# what `file_name` can make: a list that somebody changed removes nothing else
_MADE = re.compile(
    r"feedback/[A-Za-z0-9@+_-][A-Za-z0-9@+._-]*\.md|gradescope/[A-Za-z0-9@+_-][A-Za-z0-9@+._-]*/results\.json"
)


@contextlib.contextmanager
def only(out: Path, names: Sequence[str]) -> Iterator[None]:
    """Around the writing of these files below `out`: those that an earlier run made beside them are removed at the end.

    A list in `.grade` tells what was made. It names the new files before they are written, so that a run that is killed
    in between leaves nothing that no later run would know. A folder goes with the last of its files.
    """
    listed = out / ".grade" / "made"
    listed.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    before = (
        set(filter(_MADE.fullmatch, listed.read_text("ascii", "replace").splitlines())) if listed.exists() else set()
    )
    write_whole(listed, _lines(before.union(names)))
    yield
    for name in sorted(before.difference(names)):
        (out / name).unlink(missing_ok=True)
        if (out / name).parent.parent != out:
            with contextlib.suppress(OSError):  # it holds something else, or is gone
                (out / name).parent.rmdir()
    write_whole(listed, _lines(names))


def _lines(names: Sequence[str] | set[str]) -> str:
    return "".join(f"{name}\n" for name in sorted(names))
