"""Text that anybody may have chosen, made harmless for the place where it is shown."""

from __future__ import annotations

_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # what makes a spreadsheet compute; Excel also takes the wide forms


def one_line(text: str) -> str:
    """Printable characters only: no control codes, no marks that reverse the direction, nothing that cannot be encoded.

    Tabs and line ends become blanks; all else of this kind is left out.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


def csv_cell(text: str) -> str:
    """One line that no spreadsheet takes for a formula: an apostrophe is put in front of what begins like one.

    One is also put in front of a text that begins with an apostrophe, so taking one off gives the text back: an id
    that was changed can still be joined.
    """
    line = one_line(text)
    return f"'{line}" if line.lstrip()[:1] and line.lstrip()[0] in f"{_FORMULA}'" else line


def number(value: float) -> str:
    """Points in as few digits as they need, four after the point at most: 2, 2.5, 0.3333."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def count(amount: int, noun: str) -> str:
    """`1 row`, `2,000 rows`."""
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {noun}s"
