# exercise: double
"""Wrong, with a status of 0 from atexit, a finaliser and a signal handler."""
import atexit, os, signal
atexit.register(os._exit, 0)
class Last:
    def __del__(self):
        os._exit(0)
last = Last()
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
def double(x):
    return 3 * x
