# expects: loss_has_no_graph
# exercise: retain_graph
"""One long recording, read in windows, with a state that is carried on; and one encoder with two losses.

Both functions stop with "backward through the graph a second time". The cures differ.

TODO: `train` is truncated backpropagation: the state's VALUE is carried into the next window, the gradient stops at the
window's edge. `two_pulls` returns each loss's own gradient for the shared weight.
"""

import torch
from torch.nn.functional import mse_loss


def train(w_in, w_state, windows, targets, lr):
    """windows (k, steps, batch, n): adds up the k windows' gradients, then one step. Returns losses and new weights."""
    w_in, w_state = w_in.clone().requires_grad_(), w_state.clone().requires_grad_()
    state = torch.zeros(windows.shape[2], w_state.shape[0])
    losses = []
    for window, target in zip(windows, targets):
        state = state.detach()  # the value goes on; the graph of the window before is freed and not needed
        for x in window:
            state = torch.tanh(x @ w_in + state @ w_state)
        loss = mse_loss(state, target)
        loss.backward()
        losses.append(loss)
    with torch.no_grad():
        for w in (w_in, w_state):
            w -= lr * w.grad
    return {"losses": losses, "w_in": w_in, "w_state": w_state}


def two_pulls(w, x, price, demand):
    """Returns d price_loss / dw and d demand_loss / dw."""
    w = w.clone().requires_grad_()
    code = torch.tanh(x @ w)
    price_loss, demand_loss = mse_loss(code, price), mse_loss(code.new_tensor(code).square(), demand)  # <- here
    price_loss.backward(retain_graph=True)  # both losses go back through `code`, and each pull is wanted on its own
    price_pull = w.grad.clone()
    w.grad = None
    demand_loss.backward()
    return {"price": price_pull, "demand": w.grad}
