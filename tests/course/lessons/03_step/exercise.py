# exercise: step
"""TODO: return {"w": w after one step of 0.1 down the slope of sum((w x)^2)}."""
import torch


def step(w, x):
    w = torch.nn.Parameter(w)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = ((w * x) ** 2).sum()
    optimizer.step()
    return {"w": w}
