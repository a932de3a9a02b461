# exercise: double
"""Prints 200 MB, to both streams and past Python."""
import os, sys
def double(x):
    for _ in range(100):
        os.write(1, b"x" * 2**20)
        sys.stderr.write("y" * 2**20)
    return 2 * x
