"""Where in the user's program something happened: remembered as (code, instruction), turned into a line when asked.

Looking a line number up costs more than the operation itself; a code object and an instruction offset cost nothing,
and they also give the columns of the expression.
"""

from __future__ import annotations

import linecache
import sys
import sysconfig
import types
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import torch

F = TypeVar("F", bound=Callable[..., Any])
USER, LIBRARY, HIDDEN = 1, 2, 3  # hidden: torch, the standard library, this package; never the place to repair

_PACKAGE = str(Path(__file__).parents[2])
_TORCH = str(Path(torch.__file__).parent)
_STDLIB = tuple({sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib")})
_FOREIGN = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Site:
    """One place in a source file; columns count characters, and the expression may end on a later line."""

    file: str
    line: int | None
    column: int | None
    end_column: int | None
    source: str
    function: str
    module_path: str = ""  # of the nn.Module that was running, such as "encoder.layers.2"
    called_from: Site | None = None  # the user's line, where this one lies in an installed library


def kind_of_file(name: str) -> int:
    """Whose code a file holds: the user's, an installed library's, or one that is never shown."""
    if name.startswith("<frozen") or _within(name, _TORCH):
        return HIDDEN
    if _within(name, _PACKAGE) and not _within(name, str(Path(_PACKAGE, "course_files"))):
        return HIDDEN
    if any(part in name for part in _FOREIGN):
        return LIBRARY
    return HIDDEN if any(_within(name, folder) for folder in _STDLIB) else USER


def _within(name: str, folder: str) -> bool:
    return name.startswith(folder) and name[len(folder) : len(folder) + 1] in ("/", "\\")


def resolve(code: types.CodeType, instruction: int, module_path: str = "", called_from: Site | None = None) -> Site:
    """The place that an instruction of a code object was compiled from; never raises for want of the source."""
    positions = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    line, end_line, start, end = positions
    source = linecache.getline(code.co_filename, line).rstrip("\n") if line is not None else ""
    column, end_column = _characters(source, start), _characters(source, end)
    if line is None or column is None or end_column is None or not source:
        column = end_column = None
    elif end_line != line:
        end_column = len(source)
    return Site(code.co_filename, line, column, end_column, source, code.co_qualname, module_path, called_from)


def _characters(source: str, offset: int | None) -> int | None:
    """Python counts columns in UTF-8 bytes."""
    return None if offset is None else len(source.encode()[:offset].decode(errors="replace"))


class Places:
    """The places of one trace, each stored once; an index stands for it."""

    LIMIT = 1 << 20

    def __init__(self) -> None:
        self.kind_of: Callable[[str], int] = kind_of_file
        self._kinds: dict[int, int] = {}
        self._codes: list[types.CodeType] = []  # keeps the ids above from being used again
        self._index: dict[tuple[int, int, int, int], int] = {}
        self._rows: list[tuple[types.CodeType, int, types.CodeType | None, int] | None] = [None]
        # By the address of the instruction: the bytecode lies inside its code object, so that no two have the same.
        self.known: dict[int, tuple[types.FunctionType | None, int, types.CodeType]] = {}

    def kind(self, code: types.CodeType) -> int:
        known = self._kinds.get(id(code))
        if known is None:
            known = self._kinds[id(code)] = self.kind_of(code.co_filename)
            self._codes.append(code)
        return known

    def index(self, frame: types.FrameType | None) -> int:
        """The place of the nearest frame that is not hidden, with the user's frame behind a library's."""
        kinds = self._kinds
        while frame is not None and (kinds.get(id(frame.f_code)) or self.kind(frame.f_code)) == HIDDEN:
            frame = frame.f_back
        if frame is None:
            return 0
        code, instruction = frame.f_code, frame.f_lasti
        caller: types.FrameType | None = None
        if self._kinds[id(code)] == LIBRARY:
            caller = frame.f_back
            while caller is not None and self.kind(caller.f_code) != USER:
                caller = caller.f_back
        key = (id(code), instruction, id(caller.f_code) if caller else 0, caller.f_lasti if caller else 0)
        known = self._index.get(key)
        if known is None:
            if len(self._rows) >= self.LIMIT:
                return 0
            known = self._index[key] = len(self._rows)
            self._rows.append((code, instruction, caller.f_code if caller else None, key[3]))
        return known

    def at(self, frame: types.FrameType) -> tuple[types.FunctionType, int]:
        """A function that calls another one as if from `frame`, and the place of that call.

        A warning that C++ code gives takes the file, the line and the once-only register of the frame that called it.
        The code of this function stands at the very place where `frame` is, and it has the globals of `frame`.
        """
        stub, fixed, code = self.known.get(id(frame.f_code) + frame.f_lasti) or self.learn(frame)
        if stub is None:
            stub = types.FunctionType(code, frame.f_globals)
        return stub, fixed or self.index(frame)

    def learn(self, frame: types.FrameType) -> tuple[types.FunctionType | None, int, types.CodeType]:
        """What `at` gives: the stub, or only its code where globals must not be kept; the place, or 0 if it varies."""
        code = _CALL.__code__.replace(co_filename=frame.f_code.co_filename, co_firstlineno=frame.f_lineno)
        self._kinds[id(code)] = HIDDEN
        self._codes += frame.f_code, code
        module = sys.modules.get(frame.f_globals.get("__name__", ""))
        lasting = module is not None and vars(module) is frame.f_globals  # else, to keep them would keep what they hold
        stub = types.FunctionType(code, frame.f_globals) if lasting else None
        fixed = self.index(frame) if self.kind(frame.f_code) == USER else 0
        known = self.known[id(frame.f_code) + frame.f_lasti] = stub, fixed, code
        return known

    def instruction(self, index: int) -> tuple[types.CodeType, int] | None:
        """The code object and the instruction in it; None for the place that stands for all beyond the limit."""
        row = self._rows[index]
        return None if row is None else row[:2]

    def site(self, index: int, module_path: str = "") -> Site:
        row = self._rows[index]
        if row is None:
            return Site("", None, None, None, "", "", module_path)
        code, instruction, caller, called = row
        return resolve(code, instruction, module_path, resolve(caller, called) if caller is not None else None)


_CALL = lambda function, arguments, keywords: function(*arguments, **keywords)  # noqa: E731  (all on one line)


def uncounted(function: F) -> F:
    """The function, made so that the `stacklevel` of a warning does not count its frame.

    Python leaves out the frames of its own import system, which it knows by these two words in the file's name.
    """
    code: types.CodeType = function.__code__
    function.__code__ = code.replace(co_filename=f"{code.co_filename} <importlib _bootstrap>")
    return function
