# ---
# jupyter:
#   gradclinic:
#     text: "can't optimize a non-leaf Tensor"
#     kind: error
#     cause: shadowed_leaf
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.ones(3, requires_grad=True) * 0.1
optimizer = torch.optim.SGD([w], lr=0.1)

# %% tags=["ask"]
diagnose(w)

# %% tags=["fixed"]
import torch

w = (torch.ones(3) * 0.1).requires_grad_()
optimizer = torch.optim.SGD([w], lr=0.1)
loss = ((w - 1) ** 2).sum()
loss.backward()
optimizer.step()
print(w)
