# ---
# jupyter:
#   gradclinic:
#     text: "appears to not have been used in the graph"
#     kind: error
#     cause: unused
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = (3 * w - 5) ** 2
slopes = torch.autograd.grad(loss, (w, b))

# %% tags=["ask"]
diagnose(b, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = (3 * w + b - 5) ** 2
w.grad, b.grad = torch.autograd.grad(loss, (w, b))
print(w.grad, b.grad)
