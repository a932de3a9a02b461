"""A lesson's Markdown as plain text for the terminal: flowing paragraphs, lists, small tables."""

from __future__ import annotations

import re
import textwrap
from itertools import groupby

from gradclinic.cli.console import columns, say

_EMPHASIS = re.compile(r"(`[^`]*`)|(?<!\w)(\*{1,2})(?=\S)([^*`]+?)(?<=\S)\2(?!\w)")
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_RULE = re.compile(r"\|[\s:|-]*")


def show_markdown(text: str) -> None:
    """Prints the text, each block followed by an empty line. Fenced code stays as it is."""
    for number, part in enumerate(re.split(r"^```.*$", text, flags=re.MULTILINE)):
        if number % 2:
            show_code(part.strip("\n"))
            continue
        for block in re.split(r"\n\s*\n", part.strip()):
            if block.strip():
                _block(block.splitlines())
                say()


def show_code(source: str) -> None:
    """Prints code, set in and never wrapped, and an empty line."""
    for line in source.splitlines():
        say(f"    {line}".rstrip(), "code")
    say()


def _block(lines: list[str]) -> None:
    for kind, group in groupby(lines, _kind):
        same = list(group)
        if kind == "heading":
            for line in same:
                say(_plain(line), "title")
        elif kind == "table":
            _table(same)
        else:
            _flow(same)


def _kind(line: str) -> str:
    return "heading" if line.startswith("#") else "table" if line.startswith("|") else "text"


def _flow(lines: list[str]) -> None:
    """A paragraph or a list: each item begins anew, and its further lines are set in below it."""
    items: list[str] = []
    for line in lines:
        if items and not _ITEM.match(line.strip()):
            items[-1] += f" {line.strip()}"
        else:
            items.append(line.strip())
    for item in items:
        bullet = _ITEM.match(item)
        if bullet:
            say("\n".join(wrapped(_plain(item[bullet.end() :]), f"  {bullet.group()}")))
        else:
            say(_plain(item))


def wrapped(text: str, first: str, further: str = "") -> list[str]:
    """The text in rows that fit, the first after `first`, the others after `further` (default: as many spaces)."""
    return textwrap.wrap(
        text,
        columns(),
        initial_indent=first,
        subsequent_indent=further or " " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _table(lines: list[str]) -> None:
    """Columns below each other if they fit, else each row as it comes."""
    told = [line for line in lines if not _RULE.fullmatch(line)]
    rows = [[_plain(cell.strip()) for cell in line.strip("| ").split(" | ")] for line in told]
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    fits = sum(widths) + 3 * len(widths) + 2 <= columns()
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)] if fits else row
        say(f"  {' | '.join(cells)}")


def _plain(text: str) -> str:
    """Without the stars of emphasis; those in code stay."""
    return _EMPHASIS.sub(lambda match: match[1] or match[3], text)
