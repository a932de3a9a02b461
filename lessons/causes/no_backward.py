# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w - 5) ** 2
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w - 5) ** 2
loss.backward()
print(w.grad)
