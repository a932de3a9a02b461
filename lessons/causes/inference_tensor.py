# %% tags=["broken", "raises-exception"]
import torch

with torch.inference_mode():
    features = torch.ones(3) * 2
w = torch.ones(3, requires_grad=True)
loss = (w * features).sum()
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

with torch.no_grad():
    features = torch.ones(3) * 2
w = torch.ones(3, requires_grad=True)
loss = (w * features).sum()
loss.backward()
print(w.grad)
