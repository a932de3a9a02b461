# exercise: double
"""A reply that is nested without end."""
def double(x):
    if x.ndim == 1:
        value = []
        value.append(value)
    elif x.ndim == 2:
        value = x
        for _ in range(100_000):
            value = [value]
    else:
        value = {"a": x}
        value["self"] = value
    return value
