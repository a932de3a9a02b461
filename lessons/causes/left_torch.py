# %% tags=["broken"]
import torch

angle = torch.tensor(0.5, requires_grad=True)
length = torch.tensor(2.0, requires_grad=True)
height = length * angle.sin().item()
loss = (height - 1) ** 2
loss.backward()
print(angle.grad)

# %% tags=["ask"]
diagnose(angle, loss)

# %% tags=["fixed"]
import torch

angle = torch.tensor(0.5, requires_grad=True)
length = torch.tensor(2.0, requires_grad=True)
height = length * angle.sin()
loss = (height - 1) ** 2
loss.backward()
print(angle.grad)
