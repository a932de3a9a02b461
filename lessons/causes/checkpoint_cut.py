# %% tags=["broken"]
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
block, head = nn.Linear(2, 3), nn.Linear(3, 1)
hidden = checkpoint(block, torch.ones(4, 2), use_reentrant=True)
loss = head(hidden).pow(2).mean()
loss.backward()
print(block.bias.grad)

# %% tags=["ask"]
diagnose(block.bias, loss)

# %% tags=["fixed"]
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
block, head = nn.Linear(2, 3), nn.Linear(3, 1)
hidden = checkpoint(block, torch.ones(4, 2), use_reentrant=False)
loss = head(hidden).pow(2).mean()
loss.backward()
print(block.bias.grad)
