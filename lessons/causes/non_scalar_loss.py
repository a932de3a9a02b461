# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w - 5) ** 2
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = ((w - 5) ** 2).mean()
loss.backward()
print(w.grad)
