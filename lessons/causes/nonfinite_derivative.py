# %% tags=["broken"]
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
root = torch.where(x > 0, x.sqrt(), 0.0)
loss = root.sum()
loss.backward()
print(loss, x.grad)

# %% tags=["ask", "values"]
diagnose(x, loss)

# %% tags=["fixed"]
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
safe = torch.where(x > 0, x, 1.0)
root = torch.where(x > 0, safe.sqrt(), 0.0)
loss = root.sum()
loss.backward()
print(loss, x.grad)
