# %% tags=["broken"]
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(2, 3).requires_grad_(False)
head = nn.Linear(3, 1)
encoder.requires_grad = True
loss = head(encoder(torch.ones(4, 2))).pow(2).mean()
loss.backward()
print(encoder.bias.grad)

# %% tags=["ask"]
diagnose(encoder, loss)

# %% tags=["fixed"]
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(2, 3).requires_grad_(False)
head = nn.Linear(3, 1)
encoder.requires_grad_(True)
loss = head(encoder(torch.ones(4, 2))).pow(2).mean()
loss.backward()
print(encoder.bias.grad)
