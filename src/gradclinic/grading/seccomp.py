"""A seccomp filter that allows the system calls of a computation and no others; Linux on x86-64 and arm64.

Written out here since the binding that was measured took 25 ms in each child, and its rules let os.fork through. The
program is assembled once for a whole class and costs a child one system call. A call that is not in the list fails
with ENOSYS, as if the kernel were too old for it.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Iterable

from gradclinic.grading.syscalls import TABLES

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOTTY, _ENOSYS = 1, 25, 38
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06  # of classic BPF
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data; argument n is at 16 + 8 n, low half first
_X32 = 0x40000000

_THREAD = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000  # VM, FS, FILES, SIGHAND, THREAD
_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_NAMES_OF_THREADS = (15, 16)  # PR_SET_NAME, PR_GET_NAME
_TERMINAL_QUESTIONS = (0x5401, 0x5421, 0x5450, 0x5451, 0x541B)  # TCGETS, FIONBIO, FIONCLEX, FIOCLEX, FIONREAD
_OWN_FILES = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)  # no F_SETOWN: it sends signals to others
_NO_NEW_PRIVILEGES, _SET_MODE_FILTER, _ASK_ACTION = 38, 1, 2
_ITSELF = 0x7FFFFFFE  # stands for the process that installs the filter, until it does; no process has this number

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

Instruction = tuple[int, int, int, int]


class Unsupported(Exception):
    """No table of system calls for this machine; the text names it."""


class Filter:
    """The program for this machine. `install` sets it on the calling thread, for good; it is inherited."""

    def __init__(self, machine: str | None = None) -> None:
        machine = machine or platform.machine()
        if machine not in TABLES or struct.calcsize("P") != 8:
            raise Unsupported(f"no table of system calls for {machine}")
        self._table = TABLES[machine]
        if machine == platform.machine() and _LIBC.syscall(self._table.seccomp, _ASK_ACTION, 0, _packed(_KILL)):
            raise Unsupported("the kernel refuses it")
        self._packed = b"".join(struct.pack("<HBBI", *instruction) for instruction in self.program(_ITSELF))

    def program(self, pid: int) -> list[Instruction]:
        """For the process `pid`, the only one that it may signal."""
        number = self._table.numbers
        code = [_load(_ARCHITECTURE), (_EQUAL, 1, 0, self._table.architecture), _leave(_KILL), _load(_NUMBER)]
        if self._table.machine == "x86_64":
            code += [(_AT_LEAST, 0, 1, _X32), _leave(_ERRNO | _ENOSYS)]
        questions = self._questions(pid)
        for name, block in questions.items():
            code += [(_EQUAL, 0, len(block), number[name]), *block]
        plain = [value for name, value in number.items() if name not in questions]
        for i, value in enumerate(plain):
            code.append((_EQUAL, len(plain) - i, 0, value))
        return [*code, _leave(_ERRNO | _ENOSYS), _leave(_ALLOW)]

    def _questions(self, pid: int) -> dict[str, list[Instruction]]:
        """The calls that are allowed with some arguments only."""
        none_new = [_load(_argument(2)), (_EQUAL, 0, 2, 0), _load(_argument(2) + 4), (_EQUAL, 1, 0, 0)]
        return {
            "clone": [
                _load(_argument(0)),
                (_AND, 0, 0, _THREAD | _NAMESPACES),
                (_EQUAL, 1, 0, _THREAD),
                _leave(_ERRNO | _EPERM),
                _leave(_ALLOW),
            ],
            "kill": _one_of(0, (pid,), _EPERM),
            "tgkill": _one_of(0, (pid,), _EPERM),
            "prctl": _one_of(0, _NAMES_OF_THREADS, _EPERM),
            "ioctl": _one_of(1, _TERMINAL_QUESTIONS, _ENOTTY),
            "fcntl": _one_of(1, _OWN_FILES, _EPERM),
            "prlimit64": [  # to read its own limits: with root's rights it could raise them
                _load(_argument(0)),
                (_EQUAL, 1, 0, 0),
                (_EQUAL, 0, 4, pid),
                *none_new,
                _leave(_ERRNO | _EPERM),
                _leave(_ALLOW),
            ],
        }

    def install(self) -> None:
        """Raises OSError where the kernel refuses."""
        data = self._packed.replace(struct.pack("<I", _ITSELF), struct.pack("<I", os.getpid()))
        buffer = ctypes.create_string_buffer(data, len(data))
        head = struct.pack("<HxxxxxxQ", len(data) // 8, ctypes.addressof(buffer))
        if _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or _LIBC.syscall(
            self._table.seccomp, _SET_MODE_FILTER, 0, ctypes.c_char_p(head)
        ):
            raise OSError(ctypes.get_errno(), "seccomp is not available")


def _packed(action: int) -> ctypes.c_char_p:
    return ctypes.c_char_p(struct.pack("<I", action))


def _load(offset: int) -> Instruction:
    return _LOAD, 0, 0, offset


def _leave(action: int) -> Instruction:
    return _RETURN, 0, 0, action


def _argument(index: int) -> int:
    return 16 + 8 * index


def _one_of(index: int, values: Iterable[int], error: int) -> list[Instruction]:
    """Allows the call if the low half of the argument, which the kernel takes as an int, is one of these."""
    values = list(values)
    tests = [(_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
    return [_load(_argument(index)), *tests, _leave(_ERRNO | error), _leave(_ALLOW)]
