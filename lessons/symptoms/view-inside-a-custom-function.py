# ---
# jupyter:
#   gradclinic:
#     text: "is a view and is being modified inplace. This view was created inside a custom Function"
#     kind: error
#     cause: inplace_on_view
# ---

# %% tags=["broken", "raises-exception"]
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(2, 3)
layer.register_full_backward_hook(lambda module, inward, outward: None)
hidden = layer(torch.ones(4, 2))
loss = nn.functional.relu(hidden, inplace=True).sum()
loss.backward()

# %% tags=["ask"]
diagnose(layer, loss)

# %% tags=["fixed"]
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(2, 3)
layer.register_full_backward_hook(lambda module, inward, outward: None)
hidden = layer(torch.ones(4, 2))
loss = nn.functional.relu(hidden).sum()
loss.backward()
print(layer.bias.grad)
