# ---
# jupyter:
#   gradclinic:
#     text: "Can't call numpy() on Tensor that requires grad"
#     kind: error
#     cause: left_torch
#     because: >-
#       NumPy records nothing for autograd: a value that goes through it comes back without its history. So PyTorch
#       refuses to hand over a tensor that requires grad, and makes you say that you know it. On the way to the
#       loss, this error has just saved your gradient.
#     helps: >-
#       To plot or print a value, say so: `height.detach().numpy()`. On the way to the loss, stay with tensors:
#       `torch.sin(angle)` in place of `np.sin(angle)`.
# ---

# %% tags=["broken", "raises-exception"]
import torch

angle = torch.tensor(0.5, requires_grad=True)
height = 2.0 * angle.numpy()
loss = (height - 1) ** 2
loss.backward()

# %% tags=["ask"]
diagnose(angle, loss)

# %% tags=["fixed"]
import torch

angle = torch.tensor(0.5, requires_grad=True)
height = 2.0 * torch.sin(angle)
loss = (height - 1) ** 2
loss.backward()
print(angle.grad, height.detach().numpy())
