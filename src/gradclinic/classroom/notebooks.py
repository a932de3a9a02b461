"""A notebook as the program that its code cells make, in their order, without a kernel and without the outputs."""

from __future__ import annotations

import re
import warnings
from typing import Any

from gradclinic.classroom.files import Refused, too_large

_MOST = 100_000  # brackets in the file: each becomes an object of some hundred bytes
_RUNS_HERE = {"time", "capture", "prun", "debug", "diagnose"}  # cell magics whose cell is Python of this program

# Neither a % nor a ! can begin a statement or follow a =, and a ? stands nowhere in Python but in text and comments.
_MAGIC = re.compile(r"[ \t]*(?:[%!?]|[\w.,\[\] \t]+=[ \t]*[%!])|[^\n\"'#]*\?[ \t]*(?:\n|$)")
_CELL_MAGIC = re.compile(r"%%(?P<name>\w*)[^\n]*\n?")
_LINE = re.compile(r"[^\n\\]*(?:\\[\s\S][^\n\\]*)*(?:\n|\Z)")  # with those that a backslash continues it by
_PIECE = re.compile(
    r"""\#[^\n]*
    | "{3} [^"\\]* (?: (?:\\.|"(?!"")) [^"\\]* )* (?:"{3}|\Z)
    | '{3} [^'\\]* (?: (?:\\.|'(?!'')) [^'\\]* )* (?:'{3}|\Z)
    | "[^"\\\n]*(?:\\.[^"\\\n]*)*"?
    | '[^'\\\n]*(?:\\.[^'\\\n]*)*'?
    | (?P<open>[(\[{]) | (?P<close>[)\]}]) | \\\n | (?P<end>\n) | [^\n\#"'()\[\]{}\\]+ | \\""",
    re.VERBOSE | re.DOTALL,
)


def program(notebook: bytes, longest: int) -> bytes:
    """The program, as UTF-8, each cell below a comment with its number. Raises Refused with the reason, also if
    the code has more than so many characters.

    Magics, shell commands and questions to the help system become comments, so that every line keeps its text.
    """
    cells = _code_cells(notebook)
    if not cells:
        raise Refused("it is a notebook without code")
    if sum(len(source) for _, source in cells) > longest:
        raise too_large(longest)
    text = "\n".join(f"# %% cell {number}\n{_plain(source)}\n" for number, source in cells)
    return text.encode("utf-8", errors="backslashreplace")


def _code_cells(notebook: bytes) -> list[tuple[int, str]]:
    """Each code cell that is not empty, by its place among all cells."""
    try:
        import nbformat
    except ImportError:
        raise Refused("it is a notebook, which needs nbformat to be read: pip install nbformat") from None
    if notebook.count(b"{") + notebook.count(b"[") > _MOST:
        raise Refused("it is a notebook of too many parts; clear its outputs")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = nbformat.reader.reads(notebook.decode("utf-8-sig"))  # unlike nbformat.reads it validates nothing
            cells = nbformat.convert(read, 4)["cells"]
            return [
                (number, source)
                for number, cell in enumerate(cells, 1)
                if cell["cell_type"] == "code" and (source := _source(cell["source"])).strip()
            ]
    except Exception:  # of hostile JSON nbformat raises anything
        raise Refused("it is no notebook, or a damaged one") from None


def _source(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)


def _plain(source: str) -> str:
    """The cell with everything that only IPython understands made a comment."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    done: list[str] = []
    at = len(source) - len(source.lstrip())
    while found := _CELL_MAGIC.match(source, at):
        if found["name"] not in _RUNS_HERE:
            return "".join(done) + "\n".join(f"# {line}" for line in source[at:].split("\n"))
        done.append(f"# {found[0]}")
        at = found.end()
    while at < len(source):
        if _MAGIC.match(source, at):
            line = _LINE.match(source, at)
            end = line.end() if line else len(source)
            done.append(_comment(source[at:end]))
        else:
            end = _statement_end(source, at)
            done.append(source[at:end])
        at = end
    return "".join(done).rstrip("\n")


def _statement_end(source: str, at: int) -> int:
    """Where the logical line ends: the newline that is in no bracket and no text."""
    depth = 0
    while at < len(source):
        piece = _PIECE.match(source, at)
        if piece is None:
            return len(source)
        at = piece.end()
        if piece["open"]:
            depth += 1
        elif piece["close"]:
            depth = max(0, depth - 1)
        elif piece["end"] and not depth:
            break
    return at


def _comment(lines: str) -> str:
    """The lines as comments; an indented one leaves a `pass`, for it may be all that a block has."""
    told: list[str] = []
    for line in lines.splitlines(keepends=True):
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        told.append(f"{indent}{'pass  ' if indent and not told else ''}# {line[len(indent) :]}")
    return "".join(told)
