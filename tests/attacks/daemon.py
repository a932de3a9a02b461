# exercise: double
"""Leaves a daemon behind that writes a file each second: double fork, new session, no terminal."""
import os, time
def double(x):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            while True:
                open("/tmp/gradclinic-attack-daemon", "a").write("alive\n")
                time.sleep(1)
        print("a daemon runs")
    except OSError as error:
        print("no daemon:", type(error).__name__)
    return 2 * x
