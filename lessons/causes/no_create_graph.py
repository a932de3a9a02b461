# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(3.0, requires_grad=True)
output = w * x**2
(slope,) = torch.autograd.grad(output, x)
loss = (slope - 1) ** 2
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(3.0, requires_grad=True)
output = w * x**2
(slope,) = torch.autograd.grad(output, x, create_graph=True)
loss = (slope - 1) ** 2
loss.backward()
print(w.grad)
