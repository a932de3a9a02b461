# %% tags=["broken"]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
model.scales = [torch.ones(1, requires_grad=True)]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = (model(torch.ones(4, 2)) * model.scales[0]).pow(2).mean()
loss.backward()
optimizer.step()
print(model.scales[0].grad, model.scales[0])

# %% tags=["ask"]
diagnose(model, loss, optimizer=optimizer)

# %% tags=["fixed"]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
model.scales = nn.ParameterList([torch.ones(1)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = (model(torch.ones(4, 2)) * model.scales[0]).pow(2).mean()
loss.backward()
optimizer.step()
print(model.scales[0].grad, model.scales[0])
