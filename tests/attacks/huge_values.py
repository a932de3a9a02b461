# exercise: double
"""Values that take gigabytes on the other side: expanded, nested, numbers with a million digits."""
import torch
def double(x):
    if x.ndim == 1:
        return x[0].expand(10**9)
    if x.ndim == 2:
        return 1 << 10**7
    return [torch.zeros(2**18)] * 10**6
