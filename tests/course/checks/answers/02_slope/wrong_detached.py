# expects: detached
# exercise: slope


def slope(w, x):
    w = w.clone().requires_grad_()
    product = (w * x).detach().requires_grad_()  # <- here
    (product**2).sum().backward()
    return w.grad
