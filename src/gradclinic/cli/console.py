"""Words to the terminal: colours that step aside, symbols that every encoding can print, lines that fit."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {"plain": "", "good": "green", "bad": "red", "cause": "yellow", "code": "cyan", "dim": "dim", "title": "bold"}
_WIDEST = 100  # longer lines of prose are hard to read
_ASCII = {
    "✓": "+", "✗": "x", "▸": ">", "→": "->", "…": "...", "·": "-", "─": "-", "█": "#", "░": ".",
    "×": "x", "−": "-", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "–": "-", "—": "-",
    "“": '"', "”": '"', "‘": "'", "’": "'", "│": "|", "•": "*", "½": "1/2", "∂": "d",
}  # fmt: skip
_TO_ASCII = str.maketrans(_ASCII)


def printable(text: str, encoding: str | None) -> str:
    """The text with symbols in ASCII if the encoding lacks them (a pipe on Windows, an old terminal)."""
    try:
        text.encode(encoding or "ascii")
    except UnicodeEncodeError:
        return text.translate(_TO_ASCII)
    return text


def say(text: str = "", style: str = "plain", *more: tuple[str, str]) -> None:
    """Prints to stdout, wrapped below each line's own indentation; the style `code` is never wrapped."""
    from rich.text import Text

    console = _console()
    parts = [(text, style), *more]
    whole = Text.assemble(*((printable(part, sys.stdout.encoding), STYLES[name]) for part, name in parts))
    for line in whole.split("\n", allow_blank=True):
        indent = len(line.plain) - len(line.plain.lstrip(" "))
        width = max(min(console.width, _WIDEST) - indent, 20)
        breaks = [] if style == "code" else _breaks(line.plain[indent:], width)
        for row in line[indent:].divide(breaks):
            row.rstrip()
            console.print(Text(" " * indent) + row if row else row, no_wrap=True, overflow="ignore", crop=False)


def _breaks(text: str, width: int) -> list[int]:
    """Where to start new rows; a word longer than the width stays whole, so that a path can be copied."""
    from rich.cells import cell_len

    breaks, used = [], 0
    for word in re.finditer(r"\S+\s*", text):
        if used and used + cell_len(word[0].rstrip()) > width:
            breaks.append(word.start())
            used = 0
        used += cell_len(word[0])
    return breaks


def note(text: str) -> None:
    """Prints one line to stderr: what a person should know and a program should not have to read."""
    print(printable(text, sys.stderr.encoding), file=sys.stderr, flush=True)


def passing(text: str = "") -> None:
    """Shows a line on the terminal that the next one overwrites; says nothing on a pipe. Empty: wipes it."""
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        print(f"\r\x1b[K{printable(text, sys.stderr.encoding)}", end="", file=sys.stderr, flush=True)


def shown(path: Path) -> str:
    """The path as a person would type it from here: relative if that is shorter."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive of Windows
        return str(path)
    return min(relative, str(path), key=len)


@cache
def _console() -> Console:
    from rich.console import Console

    # Without a colour system Rich writes no escape sequence at all; under NO_COLOR alone it would still write bold.
    if os.environ.get("NO_COLOR"):
        return Console(highlight=False, emoji=False, markup=False, color_system=None)
    return Console(highlight=False, emoji=False, markup=False)
