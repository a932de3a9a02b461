# %% tags=["broken"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
losses = (w - 5) ** 2
loss = losses[0]
loss.backward()
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
losses = (w - 5) ** 2
loss = losses.mean()
loss.backward()
print(w.grad)
