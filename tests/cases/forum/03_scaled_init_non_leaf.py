"""03 scaled_init_non_leaf

Source: https://github.com/pytorch/pytorch/issues/140469
Category: A non-leaf: created by an op
Symptom: ValueError: can't optimize a non-leaf Tensor when an image/latent is created as
    randn(requires_grad=True) * 0.01.
Common wrong advice: Downgrade torch / match package versions.
Root cause: The multiplication makes a new non-leaf; requires_grad=True was put on a temporary that is
    thrown away.
"""
import torch

from _obs import attempt, show

def broken():
    latent = torch.ones(3, requires_grad=True) * 0.5
    return attempt(lambda: torch.optim.SGD([latent], lr=0.1))


def fixed():
    latent = (torch.ones(3) * 0.5).requires_grad_()
    opt = torch.optim.SGD([latent], lr=0.1)
    latent.sum().backward()
    opt.step()
    return show({"grad": latent.grad, "value": latent})

TRUTH = {'broken': "ValueError: can't optimize a non-leaf Tensor",
 'fixed': {'grad': [1.0, 1.0, 1.0], 'value': [0.4, 0.4, 0.4]}}


if __name__ == "__main__":
    got = {"broken": broken(), "fixed": fixed()}
    assert got == TRUTH, got
    print("ok", __file__)
