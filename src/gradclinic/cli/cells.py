"""Runs a lesson's cells, one after the other, in one namespace. A script: it imports nothing of this package.

Takes the cells' code as a JSON list from stdin. Each piece of output goes to stdout as a line of its own, `mark` and
then JSON, so that whatever else arrives there (from a library in C) can be told apart.
"""

from __future__ import annotations

import ast
import io
import json
import linecache
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any

_FILE = "cell "
_Tell = Callable[[str, str], None]


class _Stream(io.TextIOBase):
    def __init__(self, tell: _Tell, kind: str) -> None:
        self._tell, self._kind = tell, kind

    def write(self, text: str) -> int:
        self._tell(self._kind, text)
        return len(text)


def main() -> None:
    (mark,), real = sys.argv[1:], sys.stdout

    def tell(kind: str, text: str) -> None:
        real.write(f"{mark}{json.dumps([kind, text])}\n")
        real.flush()

    sources: list[str] = json.load(sys.stdin)
    lesson = sys.modules["__main__"] = types.ModuleType("__main__")  # as in a notebook, and free of our names
    sys.stdout, sys.stderr = _Stream(tell, "prints"), _Stream(tell, "warns")
    warnings.formatwarning = _warning
    for number, source in enumerate(sources, 1):
        name = f"{_FILE}{number}"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        try:
            _run(source, name, vars(lesson), tell)
        except (Exception, SystemExit) as error:
            tell("raises", _error(error))
        vars(lesson).pop("__warningregistry__", None)  # else the next cell's warning counts as said already
        tell("done", "")


def _run(source: str, name: str, namespace: dict[str, Any], tell: _Tell) -> None:
    """Runs the code; the value of a last line that is an expression is shown, as in a notebook."""
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, name, "exec", dont_inherit=True), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), namespace)
        if value is not None:
            tell("shows", f"{value!r}\n")


def _error(error: BaseException) -> str:
    """The innermost line of the lesson's own, and the message."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_FILE)]
    place = f"line {lines[-1].lineno}: {lines[-1].line}\n" if lines else ""
    return f"{place}{type(error).__name__}: {error}\n"


def _warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    place = f"line {lineno}" if filename.startswith(_FILE) else f"{filename}:{lineno}"
    return f"{place}: {linecache.getline(filename, lineno).strip()}\n{category.__name__}: {message}\n"


if __name__ == "__main__":
    main()
