# expects: shadowed_leaf
# exercise: leaf_or_not
"""A sensor is calibrated by a hand-written optimizer.

A row of `x` holds a one and some raw readings, `y` the true values: the model is `x @ w`, and `w[0]` is the offset.
`descend` starts at a tenth of the random `w0`, takes three steps of gradient descent on the mean squared error,
and notes the gradient of the offset at every step. It stops at the first step, because a gradient is None.

TODO: make the three steps true, and the three noted gradients too. Start, loss and step size must stay as they are.
"""

import torch


def descend(w0, x, y, lr):
    """w0 (n), x (samples, n), y (samples). Returns w after three steps, and the list of the three offset gradients."""
    # Scale first, then switch the flag on: the tensor that the name w holds is now the leaf itself.
    w = (w0 * 0.1).requires_grad_()
    w = w.clamp(-10, 10)  # <- here
    offset_gradients = []
    for _ in range(3):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        # w[0] would be a new tensor, made after the loss; the leaf's gradient can be indexed like any tensor.
        offset_gradients.append(w.grad[0])
        with torch.no_grad():
            w -= lr * w.grad
        w.grad = None
    return {"w": w, "offset_gradients": offset_gradients}
