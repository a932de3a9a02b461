# %% tags=["broken"]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
model.requires_grad_(False)
model[2].weight.requires_grad_(True)  # and the bias?
loss = model(torch.ones(4, 2)).pow(2).mean()
loss.backward()
print(model[2].bias.grad)

# %% tags=["ask"]
diagnose(model[2].bias, loss)

# %% tags=["fixed"]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
model.requires_grad_(False)
model[2].requires_grad_(True)
loss = model(torch.ones(4, 2)).pow(2).mean()
loss.backward()
print(model[2].bias.grad)
