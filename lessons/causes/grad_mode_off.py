# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
scale = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    hidden = w**2
loss = hidden * scale
loss.backward()
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
scale = torch.tensor(3.0, requires_grad=True)
hidden = w**2
loss = hidden * scale
loss.backward()
print(w.grad)
