# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
steps = [w * t for t in (1.0, 2.0, 3.0)]
stacked = torch.stack(steps)
stacked.retain_grad()
loss = sum(steps)
loss.backward()
print(stacked.grad)

# %% tags=["ask"]
diagnose(stacked, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
steps = [w * t for t in (1.0, 2.0, 3.0)]
stacked = torch.stack(steps)
stacked.retain_grad()
loss = stacked.sum()
loss.backward()
print(stacked.grad)
