# expects: broadcast_target
# exercise: backward_first
"""The first step of training, with a report.

A taxi office guesses its fares: x has a row of numbers for each trip, y the fare that was paid, x @ w is the guess.
`first_step` takes one step of gradient descent on the mean squared error. It reports the squared error of each trip,
the length (norm) of the gradient of the mean, and the new weights. It stops half-way, and has more than one mistake.

TODO: make the step run and every number of the report true. `losses` stays one number for each trip.
"""

import torch

LR = 0.1


def first_step(w, x, y):
    """One step on the mean squared error. w (features,), x (trips, features), y (trips,)."""
    w = w.clone().requires_grad_()
    losses = (x @ w - y) ** 2
    torch.nn.functional.mse_loss((x @ w)[:, None], y).backward()  # <- here
  # backward() starts at one number, and the step is on the mean
    gradient_norm = w.grad.norm()  # read after backward(): before it there is nothing to read
    with torch.no_grad():
        w -= LR * w.grad
    return {"losses": losses, "gradient_norm": gradient_norm, "w": w}
