# exercise: double
"""Minutes inside one operation of PyTorch, on two threads."""
import torch
def double(x):
    torch.set_num_threads(2)
    a = torch.rand(1200, 1200)
    while True:
        torch.linalg.svd(a)  # seconds each
