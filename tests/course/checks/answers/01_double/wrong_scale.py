# expects: wrong_scale
# exercise: double


def double(x):
    return 3 * x
