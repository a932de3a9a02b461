# expects: exited
# exercise: double
import sys


def double(x):
    sys.exit(0)  # <- here
