# exercise: step
"""A dict whose keys fill a results file: 15,000 of them, each 500 long."""
def step(w, x):
    return {f"{n}" + "k" * 500: 1 for n in range(15_000)}
