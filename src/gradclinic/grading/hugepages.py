"""Huge pages for a process that forks often: a fork then copies one entry for 2 MB, not 512, and an exit drops one."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

_SIZE = 2**21
_COLLAPSE = 25  # MADV_COLLAPSE, Linux 6.1; an older kernel refuses, and all stays as it was


def gather() -> None:
    """Moves the heap of this process into huge pages, where the kernel can. What it holds does not change."""
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, inode, *name = line.split()
        if rights != "rw-p" or inode != "0" or name not in ([], ["[heap]"]):
            continue
        start, end = (int(address, 16) for address in span.split("-"))
        for place in range(-(-start // _SIZE) * _SIZE, end - _SIZE + 1, _SIZE):
            madvise(ctypes.c_void_p(place), ctypes.c_size_t(_SIZE), _COLLAPSE)
