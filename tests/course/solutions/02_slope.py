# exercise: slope
"""TODO: return the gradient of sum((w x)^2) with respect to w."""


def slope(w, x):
    w = w.clone().requires_grad_()
    loss = ((w * x) ** 2).sum()
    loss.backward()  # before it there is nothing to read
    return w.grad
