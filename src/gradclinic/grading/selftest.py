# exercise: selftest
"""What hangs or crashes in a forked child on some platforms: a parallel-sized product and its backward."""

import torch


def works() -> float:
    a = torch.ones(64, 64, requires_grad=True)
    (a @ a).sum().backward()
    assert a.grad is not None
    return float(a.grad[0, 0])
