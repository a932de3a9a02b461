"""Small batches are added up on purpose, and the norm of the gradient is printed after each."""

import os

import torch


def run():
    torch.manual_seed(0)
    w = torch.randn(3, requires_grad=True)
    with open(os.devnull, "w") as log:
        for _ in range(4):
            loss = (torch.randn(5, 3) @ w).pow(2).mean() / 4
            loss.backward()
            print(w.grad.norm(), file=log)
    return [w], loss
