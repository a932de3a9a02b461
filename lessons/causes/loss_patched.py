# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
prediction = (3 * w).detach()
loss = (prediction - 5) ** 2
loss.requires_grad_()
loss.backward()
print(w.grad, loss.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
prediction = 3 * w
loss = (prediction - 5) ** 2
loss.backward()
print(w.grad)
