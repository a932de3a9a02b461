# exercise: double
"""50,000 different warnings and log lines, each as long as a page."""
import logging, warnings
def double(x):
    for n in range(50_000):
        warnings.warn(f"{n} " + "w" * 1000)
        if n % 100 == 0:
            logging.getLogger().error("l" * 1000)
    return 2 * x
