"""Takes out of an output what differs from run to run or from machine to machine, and the noise around an error."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\x1b\[[0-9;?]*[A-Za-z]"), ""),  # colours
    (re.compile(r"\S*[/\\]ipykernel_\d+[/\\]\d+\.py"), "cell"),
    (re.compile(r"<ipython-input-\d+-[0-9a-f]+>"), "cell"),
    (re.compile(r"\S*[/\\](?:site|dist)-packages[/\\]"), ".../"),
    (re.compile(r"\s*\(Triggered internally at [^)]*\)\.?"), ""),
    (re.compile(r"\bat 0x[0-9a-fA-F]+"), "at 0x..."),
)
_FRAME = re.compile(r"Cell In\[(\d+)\], line (\d+)")


@dataclass(frozen=True)
class Frame:
    """A line of a notebook cell that a traceback names: the cell's execution count and the line in it, from 1."""

    count: int
    line: int


def scrub(text: str) -> str:
    """The text without colours, process ids, addresses and paths of this machine."""
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text


def innermost_frame(traceback: str) -> Frame | None:
    """The last line of the traceback that the lesson's own cells hold; None when it names none."""
    frames = _FRAME.findall(scrub(traceback))
    return Frame(int(frames[-1][0]), int(frames[-1][1])) if frames else None


def short_traceback(name: str, message: str, source: str, line: int) -> str:
    """An error as a reader needs it: the line of the cell, and what PyTorch says."""
    return scrub(f"line {line}: {source.strip()}\n{name}: {message}".strip())
