# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([1, 2], requires_grad=True)
loss = (w * 3).sum()
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * 3).sum()
loss.backward()
print(w.grad)
