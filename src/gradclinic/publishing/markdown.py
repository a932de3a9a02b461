"""The few Markdown forms that the generated pages are made of."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape

from gradclinic.publishing.outputs import Piece, text_of

# What a reader sees above an output, the gravest kind first.
_LABELS = (("raises", "raises an error"), ("warns", "prints, with a warning"), ("prints", "prints"), ("shows", "shows"))


def folded(kind: str, title: str, body: str) -> str:
    """A box that opens on a click; `kind` is one of the theme's admonitions."""
    return f'??? {kind} "{_quoted(title)}"\n\n{textwrap.indent(body.strip(), "    ")}\n'


def box(kind: str, title: str, body: str) -> str:
    return f'!!! {kind} "{_quoted(title)}"\n\n{textwrap.indent(body.strip(), "    ")}\n'


def code(source: str, title: str = "") -> str:
    named = f' title="{title}"' if title else ""
    return f"{_fence(source)}python{named}\n{source.strip()}\n{_fence(source)}\n"


def output(pieces: Sequence[Piece]) -> str:
    """The output of a cell as one block, labelled with what happened, and its pictures; empty for no output."""
    text = text_of(pieces).strip("\n")
    pictures = "".join(f"\n{_one_line(piece.text)}\n" for piece in pieces if piece.kind == "svg")
    if not text:
        return pictures
    kinds = {piece.kind for piece in pieces}
    kind, label = next((kind, label) for kind, label in _LABELS if kind in kinds)
    fence = _fence(text)
    return f'{fence} {{ .text .gc-output .gc-{kind} title="{label}" }}\n{text}\n{fence}\n{pictures}'


def front_matter(title: str, description: str, boost: float = 1) -> str:
    """`boost` lifts the page in the search of the site."""
    import yaml

    told: dict[str, object] = {"title": title, "description": description}
    if boost != 1:
        told["search"] = {"boost": boost}
    described = yaml.safe_dump(told, allow_unicode=True, sort_keys=False, width=999)
    return f"---\n{described}---\n"


def unsearched(heading: str) -> str:
    """A heading whose section stays out of the search index."""
    return f"{heading} {{ data-search-exclude }}\n"


def bullets(items: Sequence[str]) -> str:
    return "".join(f"- {textwrap.indent(item, '  ').strip()}\n" for item in items)


def cell_text(text: str) -> str:
    """Text that stays in its cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def verbatim(text: str) -> str:
    """A message as inline code, backticks included."""
    ticks = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def literal(text: str) -> str:
    """Text that means nothing to Markdown."""
    return re.sub(r"([\\`*_\[\]])", r"\\\1", escape(text, quote=False))


def _fence(text: str) -> str:
    return "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", text))])


def _quoted(title: str) -> str:
    return title.replace('"', "&quot;")


def _one_line(svg: str) -> str:
    """An SVG without blank lines and prolog, so that Markdown keeps it in one piece."""
    return re.sub(r"\s*\n\s*", " ", svg[svg.find("<svg") :]).strip()
