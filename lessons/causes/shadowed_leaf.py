# %% tags=["broken"]
import torch

w = torch.ones(3, requires_grad=True) * 0.1
loss = ((w - 1) ** 2).sum()
loss.backward()
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = (torch.ones(3) * 0.1).requires_grad_()
loss = ((w - 1) ** 2).sum()
loss.backward()
print(w.grad)
