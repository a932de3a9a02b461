# %% tags=["broken"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
level = w * 3
level.retain_grad()
loss = level.sum()
level.mul_(100)
loss.backward()
print(w.grad, level.grad)

# %% tags=["ask"]
diagnose(level, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
level = w * 3
level.retain_grad()
loss = level.sum()
percent = level * 100
loss.backward()
print(w.grad, level.grad)
