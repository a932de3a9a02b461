"""A notebook as the program that its code cells make, read without a kernel."""

from __future__ import annotations

import re

_MAGIC = re.compile(r"^(\s*)[%!?]")
_WHOLE_CELL = re.compile(r"^\s*%%(\w+)")


class NotebookError(Exception):
    """A file that is no notebook; the text says why."""


def program(data: bytes) -> str:
    """The code cells joined, magics and shell lines as comments. Raises NotebookError."""
    import nbformat  # slow to import, and only notebooks need it

    try:
        notebook = nbformat.reads(data.decode("utf-8-sig"), as_version=4)
        cells = [str(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except Exception as error:  # whatever a damaged or hostile file makes of the reader
        raise NotebookError(f"not a readable notebook ({type(error).__name__})") from None
    return "\n\n".join(_without_magics(cell) for cell in cells) + "\n"


def _without_magics(cell: str) -> str:
    lines = cell.splitlines()
    if lines and _WHOLE_CELL.match(lines[0]):
        return "\n".join("# " + line for line in lines)
    return "\n".join(_MAGIC.sub(_commented, line) for line in lines)


def _commented(match: re.Match[str]) -> str:
    return f"{match[1]}pass  # {match[0].strip()}" if match[1] else f"# {match[0]}"
