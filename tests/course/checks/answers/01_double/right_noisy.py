# exercise: double
import warnings


def double(x):
    print("doubling")
    warnings.warn("a value of no importance")
    return x + x
