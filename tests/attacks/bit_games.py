# exercise: double
"""Tensors whose bytes are no numbers: views, other types, truth values of 255, memory that is not theirs."""
import torch
def double(x):
    if x.ndim == 1:
        return torch.full((3,), 255, dtype=torch.uint8).view(torch.bool)
    if x.ndim == 2:
        return torch.complex(2 * x, torch.ones_like(x))
    return (2 * x).view(torch.int32)
