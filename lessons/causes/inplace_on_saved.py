# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([0.0, 1.0], requires_grad=True)
growth = w.exp()
growth += 1
loss = growth.sum()
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([0.0, 1.0], requires_grad=True)
growth = w.exp()
growth = growth + 1
loss = growth.sum()
loss.backward()
print(w.grad)
