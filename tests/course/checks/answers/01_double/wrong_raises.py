# expects: exception
# exercise: double


def double(x):
    return x[0, 0, 0, 0]  # <- here
