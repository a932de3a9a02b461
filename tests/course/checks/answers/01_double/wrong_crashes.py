# expects: crashed
# exercise: double
import ctypes


def double(x):
    return ctypes.string_at(0)  # <- here
