# exercise: double
"""Recurses until the stack of C is used up."""
import sys
sys.setrecursionlimit(10**9)
def double(x):
    class Deep:
        def __repr__(self):
            return repr(Deep())
    def down(n):
        return down(n + 1) if n else len(repr(Deep()))
    return down(1)
