"""Landlock: what this process may still open, bind and signal, for good; Linux 5.13 and newer.

The three system calls have the same numbers on every machine. There is no well-kept binding to use instead.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION, _BENEATH, _NO_NEW_PRIVILEGES = 1, 1, 38

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_FOLDER, _REMOVE_FILE, _MAKE_FOLDER, _MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_TRUNCATE = 1 << 14  # from version 3
_FILES_OF = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}  # all rights that a version knows
_NEWER = (1 << 16) - 1
_ON_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE
_CHANGE = _WRITE | _TRUNCATE | _MAKE_FILE | _MAKE_FOLDER | _REMOVE_FILE | _REMOVE_FOLDER

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


def version() -> int:
    """Of the kernel's landlock; 0 where it has none."""
    return max(_call(_CREATE, None, 0, _ASK_VERSION), 0)


class Rules:
    """What may still be opened below which folders. No port can be bound or reached, and no other process signalled.

    Rules that several processes apply one after the other add up: what each of them allows is allowed. Raises OSError
    where the kernel refuses.
    """

    def __init__(self) -> None:
        known = version()
        self._handled = _FILES_OF.get(known, _NEWER)
        attributes = struct.pack("<QQQ", self._handled, 3 if known >= 4 else 0, 3 if known >= 6 else 0)
        size = 24 if known >= 6 else 16 if known >= 4 else 8
        self._rules = _checked(_call(_CREATE, attributes, size, 0))

    def allow(self, paths: Iterable[Path], *, write: bool = False) -> None:
        """To read, or to write as well, below these; one that is not there is passed over."""
        for path in paths:
            try:
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            rights = _READ | _LIST | (_CHANGE if write else 0)
            if not stat.S_ISDIR(os.fstat(place).st_mode):
                rights &= _ON_A_FILE
            try:
                _checked(_call(_ADD, self._rules, _BENEATH, struct.pack("<Qi", rights & self._handled, place), 0))
            finally:
                os.close(place)

    def apply(self) -> None:
        """Binds this process to the rules, for good."""
        _checked(_LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_call(_RESTRICT, self._rules, 0, 0))

    def close(self) -> None:
        """A process that holds them could still change them for those that apply them later."""
        os.close(self._rules)


def _call(number: int, *arguments: int | bytes | None) -> int:
    return int(_LIBC.syscall(ctypes.c_long(number), *map(_word, arguments)))


def _word(argument: int | bytes | None) -> ctypes.c_long | ctypes.c_char_p:
    return ctypes.c_char_p(argument) if isinstance(argument, bytes | None) else ctypes.c_long(argument)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
