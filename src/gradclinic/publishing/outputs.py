"""What a cell put out, in the order in which it came, free of what differs from run to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gradclinic.publishing.scrub import innermost_frame, scrub, short_traceback


@dataclass(frozen=True)
class Piece:
    """One part of an output: it `prints`, `warns` (stderr), `raises`, `shows` (the last value) or is an `svg`."""

    kind: str
    text: str


def pieces_of(outputs: Iterable[Any], sources: dict[int, str]) -> tuple[Piece, ...]:
    """The pieces of one cell's nbformat outputs; `sources` holds the code of each cell by its execution count."""
    return joined(_each(outputs, sources))


def joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Neighbours of one kind as one piece, scrubbed."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and merged[-1].kind == piece.kind != "svg":
            merged[-1] = Piece(piece.kind, merged[-1].text + piece.text)
        else:
            merged.append(piece)
    return tuple(Piece(piece.kind, scrub(piece.text)) for piece in merged)


def text_of(pieces: Sequence[Piece], *kinds: str) -> str:
    """The text of the pieces of these kinds; of all but pictures when none is named."""
    return "".join(piece.text for piece in pieces if (piece.kind in kinds if kinds else piece.kind != "svg"))


def _each(outputs: Iterable[Any], sources: dict[int, str]) -> Iterator[Piece]:
    for output in outputs:
        if output.output_type == "stream":
            yield Piece("prints" if output.name == "stdout" else "warns", output.text)
        elif output.output_type == "error":
            yield Piece("raises", _error(output, sources))
        elif "image/svg+xml" in output.data:
            yield Piece("svg", output.data["image/svg+xml"])
        elif "text/plain" in output.data:
            yield Piece("shows", output.data["text/plain"] + "\n")


def _error(output: Any, sources: dict[int, str]) -> str:
    frame = innermost_frame("\n".join(output.traceback))
    if frame is None or frame.count not in sources:
        return f"{output.ename}: {output.evalue}\n"
    return short_traceback(output.ename, output.evalue, sources[frame.count].splitlines()[frame.line - 1], frame.line)
