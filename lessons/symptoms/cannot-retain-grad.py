# ---
# jupyter:
#   gradclinic:
#     text: "can't retain_grad on Tensor that has requires_grad=False"
#     kind: error
#     cause: requires_grad_false
# ---

# %% tags=["broken", "raises-exception"]
import torch

x = torch.tensor([1.0, 2.0])
hidden = x * 3
hidden.retain_grad()
loss = hidden.sum()
loss.backward()

# %% tags=["ask"]
diagnose(hidden, loss)

# %% tags=["fixed"]
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
hidden = x * 3
hidden.retain_grad()
loss = hidden.sum()
loss.backward()
print(hidden.grad)
