# %% tags=["broken"]
import torch

w = torch.tensor([0.0, 1.0], requires_grad=True)
growth = w.exp()
loss = growth.sum()
growth.data.mul_(100)
loss.backward()
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([0.0, 1.0], requires_grad=True)
growth = w.exp()
loss = growth.sum()
percent = growth * 100
loss.backward()
print(w.grad)
