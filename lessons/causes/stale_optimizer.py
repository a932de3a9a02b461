# %% tags=["broken"]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[1] = nn.Linear(3, 1)
before = model[1].bias.clone()
loss = model(torch.ones(4, 2)).pow(2).mean()
loss.backward()
optimizer.step()
print(model[1].bias.grad, model[1].bias == before)

# %% tags=["ask"]
diagnose(model, loss, optimizer=optimizer)

# %% tags=["fixed"]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
model[1] = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model[1].bias.clone()
loss = model(torch.ones(4, 2)).pow(2).mean()
loss.backward()
optimizer.step()
print(model[1].bias.grad, model[1].bias == before)
