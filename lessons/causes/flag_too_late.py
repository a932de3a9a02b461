# %% tags=["broken"]
import torch

x = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0], requires_grad=True)
loss = (w * x).sum()
x.requires_grad_()
loss.backward()
print(x.grad)

# %% tags=["ask"]
diagnose(x, loss)

# %% tags=["fixed"]
import torch

x = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0], requires_grad=True)
x.requires_grad_()
loss = (w * x).sum()
loss.backward()
print(x.grad)
