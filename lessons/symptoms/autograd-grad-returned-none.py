# ---
# jupyter:
#   gradclinic:
#     text: "autograd.grad returned None"
#     kind: silent
#     cause: unused
#     shows: "(tensor(6.), None)"
# ---

# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = (3 * w - 5) ** 2
slopes = torch.autograd.grad(loss, (w, b), allow_unused=True)
print(slopes)

# %% tags=["ask"]
diagnose(b, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = (3 * w + b - 5) ** 2
w.grad, b.grad = torch.autograd.grad(loss, (w, b), allow_unused=True)
print(w.grad, b.grad)
