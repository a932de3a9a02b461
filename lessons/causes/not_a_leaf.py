# %% tags=["broken"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
hidden = w * 3
loss = hidden.sum()
loss.backward()
print(hidden.grad)

# %% tags=["ask"]
diagnose(hidden, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
hidden = w * 3
hidden.retain_grad()
loss = hidden.sum()
loss.backward()
print(hidden.grad)
