# %% tags=["broken"]
import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(2, 3), nn.Linear(3, 1)
features = encoder(torch.ones(4, 2)).detach()
loss = head(features).pow(2).mean()
loss.backward()
print(encoder.bias.grad)

# %% tags=["ask"]
diagnose(encoder.bias, loss)

# %% tags=["fixed"]
import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(2, 3), nn.Linear(3, 1)
features = encoder(torch.ones(4, 2))
loss = head(features).pow(2).mean()
loss.backward()
print(encoder.bias.grad)
