# exercise: slope


def slope(w, x):
    return 2 * w * x**2
