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
    for _ in range(steps):
        light = torch.sigmoid(x @ w)
        error = light + ambient - target
        w = w - lr * x.T @ (2 * error * light * (1 - light)) / len(target)
    return w


def pull(w, x, target):
    """Returns level, level in percent, d loss / d level and d loss / d w."""
    level = x @ w
    pull_on_level = 2 * (level - target) / len(target)
    return {"level": level, "percent": level * 100, "pull": pull_on_level, "w_pull": x.T @ pull_on_level}
