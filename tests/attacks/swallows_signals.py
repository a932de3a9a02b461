# exercise: double
"""An endless loop that swallows every error and every signal."""
import signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
def double(x):
    while True:
        try:
            time.sleep(1)
        except BaseException:
            pass
