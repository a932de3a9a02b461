# expects: wrong_type
# exercise: double


def double(x):
    return (2 * x).numpy()
