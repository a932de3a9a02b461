# expects: left_torch
# exercise: in_place_add
"""A lamp and its dimmer.

`fit` finds the curve of a dimmer by plain gradient descent, written by hand; it stops with an error, and behind that
error waits a second one. `pull` tells how strongly the loss pulls on each level and on the weights; it raises nothing,
and one of its gradients is lost. All three faults come from writing into a tensor in place.

TODO: make `fit` descend, with exactly the numbers of plain gradient descent, and make `pull` report both gradients.
"""

import torch


def fit(w, x, target, ambient, lr, steps):
    """Returns w after `steps` steps of gradient descent on mse(sigmoid(x @ w) + ambient, target)."""
    w = w.clone().requires_grad_()
    for _ in range(steps):
        brightness = torch.sigmoid(x @ w)
        # A new tensor: sigmoid saved its result for backward, so that one must stay as it is.
        brightness = brightness.add(ambient)
        loss = ((brightness - target) ** 2).mean()
        loss.backward()
        # A leaf may be written in place only where nothing is recorded.
        with torch.no_grad():
            w.sub_(lr * w.grad)
        w.grad.zero_()
    return w


def pull(w, x, target):
    """Returns level, level in percent, d loss / d level and d loss / d w."""
    w = w.clone().requires_grad_()
    level = x @ torch.Tensor(w.tolist()).requires_grad_()  # <- here
    level.retain_grad()
    loss = ((level - target) ** 2).mean()
    # A new tensor: in place, `level` would become a value that the loss never read, and its gradient would be lost.
    percent = level * 100
    loss.backward()
    return {"level": level, "percent": percent, "pull": level.grad, "w_pull": w.grad}
