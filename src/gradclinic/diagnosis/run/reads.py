"""Whether a read of `.grad` is a question that the program asks, or a test for None that it answers by itself.

Told by the instructions that follow the read; the source is looked at only for calls such as `isinstance(w.grad, …)`.
"""

from __future__ import annotations

import dis
import re
import types
from functools import lru_cache

from ..record.site import resolve

_TESTS = ("IF_NONE", "IF_NOT_NONE", "IF_TRUE", "IF_FALSE", "TO_BOOL", "UNARY_NOT", "IS_OP")
_SKIPPED = frozenset({"NOP", "CACHE", "COPY", "PRECALL", "EXTENDED_ARG", "NOT_TAKEN"})
_USES = (  # how the names of the instructions begin that do something with a value; any other is taken for a test
    "LOAD_", "STORE_", "BINARY_", "UNARY_", "COMPARE_", "CONTAINS_", "BUILD_", "LIST_", "SET_", "MAP_", "DICT_", "CALL",
    "KW_NAMES", "PUSH_", "SWAP", "FORMAT_", "CONVERT_", "RETURN_", "YIELD_", "GET_", "UNPACK_", "POP_TOP", "DELETE_",
)  # fmt: skip
_TESTING_CALL = re.compile(r"(?:^|\.)(?:isinstance|type|id|bool|is_tensor|callable|hasattr|assert\w*)$")
_NAMES_AFTER = 40  # instructions after `g = w.grad` among which the first use of `g` is looked for


@lru_cache(maxsize=256)
def counts(code: types.CodeType, instruction: int) -> bool:
    """Whether the value that is read at this instruction is used without a test for None."""
    steps = [one for one in dis.get_instructions(code) if one.opname not in _SKIPPED]
    at = next((index for index, one in enumerate(steps) if one.offset == instruction), None)
    if at is None:  # getattr(w, "grad") has its call at a PRECALL or between
        at = next((index for index, one in enumerate(steps) if one.offset > instruction), len(steps)) - 1
    read = steps[at] if steps else None
    if read is None or (read.opname.startswith("CALL") and not _text(code, read).startswith("getattr(")):
        return False  # hasattr(), attrgetter(): nothing is done with it here
    rest = steps[at + 1 :]
    if _is_test(rest):
        return False
    if rest and (name := _stored(rest[0])):
        return not _first_use_is_test(name, rest)
    return not _is_argument_of_test(code, read, rest)


def _is_test(rest: list[dis.Instruction]) -> bool:
    if not rest:
        return False
    if (
        rest[0].opname.startswith("STORE_")
        and len(rest) > 1
        and any(one in rest[1].opname for one in ("IF_N", "IS_OP"))
    ):
        return True  # (g := w.grad) is None
    if any(one in rest[0].opname for one in _TESTS) or not rest[0].opname.startswith(_USES):
        return True
    none = rest[0].opname.startswith("LOAD_CONST") and rest[0].argval is None
    return none and len(rest) > 1 and rest[1].opname in ("IS_OP", "COMPARE_OP")


def _stored(step: dis.Instruction) -> str | None:
    """The simple name that the value goes to; since 3.13 one instruction may store one name and load another."""
    if step.opname in ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"):
        return str(step.argval)
    if step.opname == "STORE_FAST_LOAD_FAST":
        return str(step.argval[0])
    return None


def _first_use_is_test(name: str, rest: list[dis.Instruction]) -> bool:
    if rest[0].opname == "STORE_FAST_LOAD_FAST" and rest[0].argval[1] == name:
        return _is_test(rest[1:])
    for index, step in enumerate(rest[1:_NAMES_AFTER], 1):
        if step.opname.startswith("LOAD_") and (step.argval == name or _is_in_pair(name, step.argval)):
            return _is_test(rest[index + 1 :])
    return False


def _is_in_pair(name: str, loaded: object) -> bool:
    """Since 3.13 one instruction may load two names."""
    return isinstance(loaded, tuple) and name in loaded


def _is_argument_of_test(code: types.CodeType, read: dis.Instruction, rest: list[dis.Instruction]) -> bool:
    """Whether the nearest call that the read is written inside of only asks what kind of thing it is."""
    place = read.positions
    for step in rest[:8]:
        around = step.positions
        if not step.opname.startswith("CALL") or place is None or around is None:
            continue
        if None in (place.lineno, place.col_offset, around.lineno, around.col_offset):
            return False
        if (around.lineno, around.col_offset) < (place.lineno, place.col_offset):
            return bool(_TESTING_CALL.search(_text(code, step).partition("(")[0]))
        return False
    return False


def _text(code: types.CodeType, step: dis.Instruction) -> str:
    site = resolve(code, step.offset)
    return site.source[site.column or 0 :]
