# expects: no_backward
# exercise: slope


def slope(w, x):
    w = w.clone().requires_grad_()
    loss = ((w * x) ** 2).sum()
    return w.grad  # <- here
