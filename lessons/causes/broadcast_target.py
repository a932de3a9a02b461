# %% tags=["broken"]
import torch
from torch import nn

x = torch.tensor([[1.0], [2.0], [3.0]])
target = torch.tensor([2.0, 4.0, 6.0])
w = torch.tensor([[2.0]], requires_grad=True)
prediction = x @ w
loss = nn.functional.mse_loss(prediction, target)
loss.backward()
print(loss, w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch
from torch import nn

x = torch.tensor([[1.0], [2.0], [3.0]])
target = torch.tensor([2.0, 4.0, 6.0])
w = torch.tensor([[2.5]], requires_grad=True)
prediction = (x @ w).squeeze(1)
loss = nn.functional.mse_loss(prediction, target)
loss.backward()
print(loss, w.grad)
