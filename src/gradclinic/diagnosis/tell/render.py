"""A diagnosis as text of at most 80 columns, and as HTML for a notebook."""

from __future__ import annotations

import textwrap
from html import escape
from pathlib import Path

from ..diagnosis import Diagnosis, Finding, Location
from ..words import SHOWN, some
from .letters import columns, cut
from .notebook import drawing
from .picture import lines_of

WIDTH = 80


def plain(diagnosis: Diagnosis) -> str:
    blocks = ["\n".join(_wrap(_answer(diagnosis)))]
    alone = len(diagnosis.findings) == 1 and diagnosis.findings[0].cause is diagnosis.cause
    blocks += [_finding(finding, not alone) for finding in diagnosis.findings]
    if diagnosis.path and not diagnosis.ok:
        blocks.append("\n".join(line for told in lines_of(diagnosis.path) for line in _wrap(told, "", "      ")))
    if diagnosis.cause:
        blocks.append("\n".join([*_wrap(diagnosis.cause.explanation), *_wrap("Fix: " + diagnosis.cause.fix)]))
    elif diagnosis.ok and diagnosis.candidates:
        listed = ", ".join(cause.id for cause in diagnosis.candidates)
        text = f"If it is not what you expect, look at: {listed}. `gradclinic cause NAME` explains each."
        blocks.append("\n".join(_wrap(text)))
    elif diagnosis.candidates and diagnosis.candidates[0].outcome != "work":
        lines = ["These fit what is there:"]
        for cause in diagnosis.candidates:
            lines += _wrap(f"- {cause.title} ({cause.id})", "  ", "    ")
        blocks.append("\n".join(lines))
    if diagnosis.lesson:
        blocks.append(f"Lesson: {diagnosis.lesson}")
    blocks += ["\n".join(_wrap(note)) for note in diagnosis.notes]
    return "\n\n".join(blocks)


def _answer(diagnosis: Diagnosis) -> str:
    """What is there, and the cause as far as there is one; without one, all that is known."""
    cause = diagnosis.cause
    if cause is None or diagnosis.certainty == "open":
        return diagnosis.summary
    whole = diagnosis.state == "error" or diagnosis.target.startswith("module ")
    first = diagnosis.summary if whole else diagnosis.summary.partition(". ")[0].rstrip(".") + "."
    return f"{first} {'Cause' if diagnosis.certainty == 'proved' else 'Likely cause'}: {cause.title}."


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=True, break_on_hyphens=False
    )


def _finding(finding: Finding, titled: bool) -> str:
    said = "" if finding.certainty == "proved" else f" ({finding.certainty})"
    lines = _wrap(f"{finding.role.capitalize()}: {finding.cause.title}{said}") if titled else []
    lines += _wrap(finding.text, "  ", "  ")
    if finding.names:
        lines += _wrap("Parameters: " + some(finding.names), "  ", "    ")
    places = [place for place in (finding.location, *finding.also) if place is not None]
    for place in places[:SHOWN]:
        lines += _place(place)
    if len(places) > SHOWN:
        lines.append(f"    and {len(places) - SHOWN} more places")
    return "\n".join(lines)


def _place(place: Location) -> list[str]:
    lines = _wrap(where(place), "    ", "      ")
    if place.source.strip():
        lines += ["      " + line for line in underlined(place, WIDTH - 6)]
    if place.called_from:
        lines += _wrap("called from " + where(place.called_from), "    ", "      ")
        if place.called_from.source.strip():
            lines += ["      " + line for line in underlined(place.called_from, WIDTH - 6)]
    return lines


def where(place: Location, folder: str | Path | None = None) -> str:
    """The place in one line; its file as a person in `folder` would type it (default: where they are now)."""
    inside = f", in {place.function}" if place.function and place.function != "<module>" else ""
    module = f" (module {place.module_path})" if place.module_path else ""
    file = "a cell" if place.is_typed else _from(folder, place.file)
    return f"{file}:{place.line if place.line is not None else '?'}{inside}{module}"


def _from(folder: str | Path | None, file: str) -> str:
    try:
        return str(Path(file).relative_to(folder or Path.cwd()))
    except (ValueError, OSError):  # elsewhere, or this folder is gone
        return file


def underlined(place: Location, width: int) -> list[str]:
    """The source line without its indent, cut to `width` around the expression, and ^^^ under the expression."""
    source = "".join(sign if sign.isprintable() else " " for sign in place.source.rstrip())
    indent = len(source) - len(source.lstrip())
    source = source.strip()
    if place.column is None or place.end_column is None:
        return [cut(source, width)]
    start = min(max(place.column - indent, 0), len(source))
    end = min(max(place.end_column - indent, start + 1), len(source))
    if columns(source) > width:
        begin = max(min(start - 10, len(source) - width + 4), 0)
        source, start, end = source[begin:], start - begin, end - begin
        if begin:
            source, start, end = "…" + source, start + 1, end + 1
        source = cut(source, width)
        end = min(end, len(source))
    return [source, " " * columns(source[:start]) + "^" * max(columns(source[start:end]), 1)]


def html(diagnosis: Diagnosis) -> str:
    """The same as the text, everything escaped, with the picture of the path below the first line."""
    first, *blocks = plain(diagnosis).split("\n\n")
    body = [f'<pre style="margin:.4em 0;white-space:pre-wrap">{escape(block)}</pre>' for block in blocks]
    drawn = [drawing(diagnosis.path)] if diagnosis.path else []
    return f'<div class="gradclinic-diagnosis"><p><strong>{escape(first)}</strong></p>{"".join([*drawn, *body])}</div>'
