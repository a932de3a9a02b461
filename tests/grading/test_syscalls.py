"""The numbers of the allowed system calls, against the headers that the kernel ships."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradclinic.grading.syscalls import TABLES

HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),  # arm64 is made from the generic ones
}
DEFINED = re.compile(r"#define __NR(3264)?_(\w+)\s+(\d+)")
NAMED = re.compile(r"#define __NR_(\w+)\s+__NR3264_(\w+)")  # those whose number stands under a shared name


@pytest.mark.parametrize("machine", HEADERS)
def test_each_number_is_that_of_the_header(machine: str) -> None:
    header = next((Path(path) for path in HEADERS[machine] if Path(path).exists()), None)
    if header is None:
        pytest.skip(f"no {HEADERS[machine][0]} here: apt install linux-libc-dev")
    text = header.read_text()
    shared = {name: int(number) for mark, name, number in DEFINED.findall(text) if mark}
    known = {name: shared[other] for name, other in NAMED.findall(text) if other in shared}
    known |= {name: int(number) for mark, name, number in DEFINED.findall(text) if not mark}
    table = TABLES[machine]
    assert len(table.numbers) > 90
    assert {name: known.get(name) for name in table.numbers} == table.numbers
    assert known["seccomp"] == table.seccomp
