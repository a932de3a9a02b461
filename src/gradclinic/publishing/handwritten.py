"""The pages written by hand: a Python block on them is run in the build, and shows what it prints.

Before a block that is not to be run, or not here, stands `<!-- not run: WHY -->`. Where the next block is one of plain
text, it is the output, as of a file `train.py`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from gradclinic.course import Course
from gradclinic.publishing.forks import Answer, Call
from gradclinic.publishing.outputs import Piece, text_of
from gradclinic.publishing.scrub import scrub
from gradclinic.publishing.verify import Problem

_WRITTEN_BY_THE_BUILD = {"causes.md", "claims.md", "symptoms.md", "why.md"}
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: [^\n]+ -->\s*\Z")


@dataclass(frozen=True)
class Example:
    """A Python block: the file and line where it starts, its program, and the output that the page shows with it."""

    file: Path
    line: int
    source: str
    shown: str | None

    def call(self) -> Call:
        return Call("gradclinic.publishing.programs:run_program", {"source": self.source, "name": "train.py"})


def read_examples(course: Course) -> list[Example]:
    """The blocks that are to be run."""
    files = sorted((course.root / "docs").glob("*.md"))
    return [one for file in files if file.name not in _WRITTEN_BY_THE_BUILD for one in _examples(file)]


def _examples(file: Path) -> list[Example]:
    text = file.read_text(encoding="utf-8")
    blocks = list(_BLOCK.finditer(text))
    found = []
    for block, after in zip_longest(blocks, blocks[1:]):
        if block[1] == "python" and not _NOT_RUN.search(text, 0, block.start()):
            shown = after[2] if after and after[1] == "text" else None
            found.append(Example(file, text.count("\n", 0, block.start()) + 1, block[2], shown))
    return found


def examples_judged(examples: Sequence[Example], found: Sequence[Answer]) -> list[Problem]:
    """What raises, prints something other than the page shows, or prints what the page does not show."""
    return [problem for one, answer in zip(examples, found, strict=True) if (problem := _judged(one, answer))]


def _judged(example: Example, answer: Answer) -> Problem | None:
    pieces = [Piece(**piece) for piece in answer.value["pieces"]] if answer.value else []
    raised = answer.failed or text_of(pieces, "raises").strip()
    if raised:
        remedy = "Repair it, or put <!-- not run: WHY --> before it."
        return Problem(example.file, example.line, "this block raised:\n" + textwrap.indent(raised, "    "), remedy)
    printed, shown = scrub(text_of(pieces, "prints")).rstrip(), (example.shown or "").rstrip()
    if printed == shown:
        return None
    lines = zip([*printed.splitlines(), ""], [*shown.splitlines(), ""], strict=False)
    here, there = next(((one, other) for one, other in lines if one != other), ("", ""))
    what = f"this block prints\n    {here}\n  where the page shows\n    {there or 'nothing'}"
    return Problem(example.file, example.line, what, f"Put what it prints into a text block after it:\n{printed}")
