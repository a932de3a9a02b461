# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w - 5) ** 2
loss.backward()
optimizer.step()
optimizer.zero_grad()
print(w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w - 5) ** 2
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(w.grad)
