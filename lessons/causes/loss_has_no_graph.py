# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([1.0, 2.0])
x = torch.tensor([3.0, 4.0])
loss = ((w * x).sum() - 5) ** 2
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
loss = ((w * x).sum() - 5) ** 2
loss.backward()
print(w.grad)
