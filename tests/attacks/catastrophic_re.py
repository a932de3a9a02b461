# exercise: double
"""An hour inside one call of C, which no Python signal handler interrupts."""
import re
def double(x):
    re.match(r"(a+)+$", "a" * 60 + "b")
    return 2 * x
