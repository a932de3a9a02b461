# exercise: double
"""Takes memory in large pieces and in many small ones."""
import mmap
import torch
def tried(name, action):
    try:
        action()
        print(name, "worked")
    except (MemoryError, RuntimeError, OSError) as error:
        print(name, type(error).__name__)
def double(x):
    tried("tensor", lambda: torch.empty(10**9))
    tried("bytes", lambda: bytes(4 * 2**30))
    tried("map", lambda: mmap.mmap(-1, 4 * 2**30))
    tried("shared map", lambda: mmap.mmap(-1, 2 * 2**30, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
    tried("list", lambda: [0] * 10**9)
    tried("pieces", lambda: [bytearray(2**20) for _ in range(4000)])
    return 2 * x
