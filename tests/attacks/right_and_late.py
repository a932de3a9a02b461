# exercise: double
"""A right answer from a thread, written to the pipe after the call has failed: which of the two counts?"""
import os, threading, time
from gradclinic.grading import wire
def double(x):
    reply = wire.message({"exception": None, "warnings": []}, result=2 * x, args=[x])
    def later():
        time.sleep(0.05)
        for fd in range(3, 64):
            try:
                os.write(fd, reply)
            except OSError:
                pass
    threading.Thread(target=later, daemon=True).start()
    return 3 * x
