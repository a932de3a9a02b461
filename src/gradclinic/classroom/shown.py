"""Text for a page: escaped, nothing in it acts unseen, and no more of it than a page can bear."""

from __future__ import annotations

import unicodedata
from html import escape

_JOINERS = "\u200c\u200d"  # part of the spelling of names in several scripts


def shown(text: object, most: int = 600) -> str:
    """The text as HTML, fit for elements and quoted attributes.

    Control characters are made visible, and so are the marks that turn the direction of writing or have no width.
    Of more than `most` characters the rest is counted only.
    """
    said = str(text)
    left = len(said) - most
    more = f" [… {left:,} more characters]" if left > 0 else ""
    return escape("".join(map(_visible, said[:most])) + more)


def name(identifier: str) -> str:
    """An id of the course or the catalogue as HTML, free to break after each underscore."""
    return shown(identifier, 80).replace("_", "_<wbr>")


def _visible(character: str) -> str:
    if character.isprintable() or character in "\n\t" or character in _JOINERS:
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    if character < " ":
        return chr(0x2400 + ord(character))
    return f"‹U+{ord(character):04X}›"
