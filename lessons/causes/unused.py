# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = (3 * w - 5) ** 2
loss.backward()
print(w.grad, b.grad)

# %% tags=["ask"]
diagnose(b, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = (3 * w + b - 5) ** 2
loss.backward()
print(w.grad, b.grad)
