"""14 numpy_round_trip

Source: (public thread)
Category: B cut: numpy/scipy round trip
Symptom: A custom loss made with .detach().cpu().numpy() trains nothing.
Common wrong advice: Re-wrap with torch.from_numpy(...).requires_grad_(True): the error
    goes, the gradient does not come back.
Root cause: NumPy work is invisible to autograd; the new tensor is a fresh leaf. Write it in torch ops, or
    give a custom Function a backward.
"""
import numpy as np
import torch

from _obs import show

def broken():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    arr = np.square(w.detach().numpy())
    loss = torch.from_numpy(arr).requires_grad_(True).sum()
    loss.backward()
    return show({"w.grad": w.grad})


def fixed():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    w.square().sum().backward()
    return show({"w.grad": w.grad})

TRUTH = {'broken': {'w.grad': 'None'}, 'fixed': {'w.grad': [2.0, 4.0]}}


if __name__ == "__main__":
    got = {"broken": broken(), "fixed": fixed()}
    assert got == TRUTH, got
    print("ok", __file__)
