# %% tags=["broken"]
import torch

w = torch.tensor([0.4, 1.6], requires_grad=True)
steps = w.round()
loss = ((steps - 3) ** 2).sum()
loss.backward()
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([0.4, 1.6], requires_grad=True)
steps = w + (w.round() - w).detach()
loss = ((steps - 3) ** 2).sum()
loss.backward()
print(w.grad)
