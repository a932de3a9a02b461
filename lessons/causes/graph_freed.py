# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)
for step in range(2):
    state = torch.tanh(w * state)
    loss = (state - 1) ** 2
    loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)
for step in range(2):
    w.grad = None
    state = torch.tanh(w * state.detach())
    loss = (state - 1) ** 2
    loss.backward()
print(w.grad)
