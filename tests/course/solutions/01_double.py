# exercise: double
"""TODO: return twice the values."""


def double(x):
    return 2 * x  # every value, whatever the shape
