# %% tags=["broken"]
import torch


class Scale(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x, factor: x * factor)
    backward = staticmethod(lambda ctx, grad: (None, None))


w = torch.tensor(2.0, requires_grad=True)
loss = Scale.apply(w, 3.0)
loss.backward()
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch


class Scale(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x, factor: x * factor)
    backward = staticmethod(lambda ctx, grad: (grad * 3.0, None))


w = torch.tensor(2.0, requires_grad=True)
loss = Scale.apply(w, 3.0)
loss.backward()
print(w.grad)
