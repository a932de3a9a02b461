# %% tags=["broken"]
import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
both = torch.tensor([a, b], requires_grad=True)
loss = (both**2).sum()
loss.backward()
print(a.grad, b.grad)

# %% tags=["ask"]
diagnose(a, loss)

# %% tags=["fixed"]
import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
both = torch.stack([a, b])
loss = (both**2).sum()
loss.backward()
print(a.grad, b.grad)
