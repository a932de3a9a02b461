"""Runs a program as `python` itself would, so that nothing in it can tell the difference.

Its errors leave by the interpreter's own door, so that the exit status, `sys.excepthook`, threads, atexit and Ctrl-C
are Python's business; only the frames that the program would not have had by itself are taken out of the traceback.
"""

from __future__ import annotations

import builtins
import io
import os
import pkgutil
import runpy
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from ..decide.places import frames

_PACKAGE = str(Path(__file__).parents[2])
_DISPATCH = "handle_torch_function"  # what a torch function written in Python calls once more while a mode is on


@dataclass(frozen=True)
class Program:
    """A script, or a module if `is_module`, and what belongs to it on the command line."""

    name: str
    arguments: tuple[str, ...]
    is_module: bool

    @property
    def shown(self) -> str:
        return f"-m {self.name}" if self.is_module else self.name


def run(program: Program) -> None:
    """Runs it as `__main__`. Whatever it raises comes out as it is; `hide_our_frames` then sees to the traceback."""
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    if program.is_module:
        if not sys.flags.safe_path:
            sys.path[0] = os.getcwd()
        sys.argv = ["-m", *program.arguments]
        sys.modules["__main__"] = main
        _execute(lambda: runpy._run_module_as_main(program.name))  # type: ignore[attr-defined]
        return
    file = os.path.abspath(program.name)
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(file))
    sys.argv = [program.name, *program.arguments]
    main.__dict__.update(__file__=file, __cached__=None, __loader__=SourceFileLoader("__main__", file))
    sys.modules["__main__"] = main
    code = _compiled(file)
    _execute(lambda: exec(code, main.__dict__))


def _compiled(file: str) -> types.CodeType:
    with io.open_code(file) as stream:
        code: types.CodeType | None = pkgutil.read_code(stream)  # of a .pyc
    if code is None:
        with io.open_code(file) as stream:
            code = compile(stream.read(), file, "exec", dont_inherit=True)
    return code


def _execute(start: Callable[[], None]) -> None:
    start()


_START = {_execute.__code__, _compiled.__code__, run.__code__}


def is_missing_module(error: BaseException) -> str | None:
    """What Python says when there is no such module to run; None for any other end of a program."""
    reason = error.__context__
    if isinstance(error, SystemExit) and type(reason).__module__ == "runpy" and isinstance(error.code, str):
        return str(reason)
    return None


def hide_our_frames(error: BaseException) -> None:
    """Lets the interpreter print this error, and those behind it, as if the program had run by itself.

    The hook that the program has set, or Python's, is called; it stands there as long as the interpreter needs it.
    """
    hook = sys.excepthook

    def shown(kind: Any, value: BaseException, traceback: Any) -> None:
        clean(value)
        sys.last_value, sys.last_traceback = value, value.__traceback__
        hook(kind, value, value.__traceback__)

    if not isinstance(error, SystemExit):
        sys.excepthook = shown


def clean(error: BaseException) -> None:
    """Takes our frames out of the traceback of an error and of all errors that it came from."""
    for one in _chain(error):
        one.__traceback__ = _cleaned(frames(one))


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        todo += [one.__cause__, one.__context__, *(one.exceptions if isinstance(one, BaseExceptionGroup) else ())]


def _cleaned(steps: list[types.TracebackType]) -> types.TracebackType | None:
    codes = [step.tb_frame.f_code for step in steps]
    start = max((index + 1 for index, code in enumerate(codes) if code in _START), default=0)
    kept = []
    for index in range(start, len(steps)):
        dispatches = index + 1 < len(steps) and codes[index + 1].co_name == _DISPATCH
        if not (dispatches or codes[index].co_name == _DISPATCH or is_ours(codes[index].co_filename)):
            kept.append(steps[index])
    following = None
    for step in reversed(kept):
        step.tb_next = following
        following = step
    return following


def is_ours(file: str) -> bool:
    return file.startswith(_PACKAGE + os.sep) and not file.startswith(os.path.join(_PACKAGE, "course_files") + os.sep)
