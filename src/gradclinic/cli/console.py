"""Words to the terminal: colours that step aside, symbols that every encoding can print, lines that fit."""

from __future__ import annotations

import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {"plain": "", "good": "green", "bad": "red", "cause": "yellow", "code": "cyan", "dim": "dim", "title": "bold"}
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # a learner's text must not steer the terminal
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
    parts = [(printable(_CONTROL.sub(" ", part), sys.stdout.encoding), name) for part, name in ((text, style), *more)]
    rows = _rows("".join(part for part, _ in parts), wrapped=style != "code")
    if _coloured():
        _print_coloured(parts, rows)
    else:
        for indent, row in rows:
            print(" " * indent + row.rstrip())


def columns() -> int:
    """How wide a line of prose may be."""
    return min(shutil.get_terminal_size().columns, _WIDEST)


def _rows(text: str, wrapped: bool) -> list[tuple[int, str]]:
    """The text as rows that fit, each with its indentation. A word that is too long stays whole: it may be a path."""
    rows = []
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        row, room = "", max(columns() - indent, 20)
        for word in re.findall(r"\S+\s*", line) if wrapped else [line[indent:]]:
            if row and _cells(row + word.rstrip()) > room:
                rows.append((indent, row))
                row = ""
            row += word
        rows.append((indent, row))
    return rows


def _cells(text: str) -> int:
    """How many columns the text takes: an ideograph takes two."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _coloured() -> bool:
    return not os.environ.get("NO_COLOR") and (bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty())


def _print_coloured(parts: list[tuple[str, str]], rows: list[tuple[int, str]]) -> None:
    from rich.text import Text

    whole = Text.assemble(*((part, STYLES[name]) for part, name in parts))
    place = 0
    for indent, row in rows:
        place = whole.plain.index(row, place)
        line = whole[place : place + len(row)]
        line.rstrip()
        _console().print(Text(" " * indent) + line, no_wrap=True, overflow="ignore", crop=False)
        place += len(row)


def note(text: str) -> None:
    """Prints one line to stderr: what a person should know and a program should not have to read."""
    print(printable(text, sys.stderr.encoding), file=sys.stderr, flush=True)


def in_words(error: Exception) -> str:
    """The error as a sentence, with the file that it is about."""
    return f"{error.filename}: {error.strerror}." if isinstance(error, OSError) and error.filename else str(error)


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

    return Console(highlight=False, emoji=False, markup=False)
