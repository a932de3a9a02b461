# ---
# jupyter:
#   gradclinic:
#     text: "to return a scalar Tensor, got tensor with 1 dims"
#     kind: error
#     cause: non_scalar_loss
#     because: >-
#       `torch.func.grad` makes the function that computes a derivative. A derivative of that kind belongs to one
#       number, so the function that you hand over must return one. This one returned a tensor with several
#       elements.
#     helps: >-
#       Let the function return one number, such as a sum or a mean. For the slope of each element, use
#       `torch.func.jacrev` or `torch.func.vmap`.
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([0.0, 1.0], requires_grad=True)
slope = torch.func.grad(torch.sin)(w)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([0.0, 1.0], requires_grad=True)
slope = torch.func.grad(lambda w: torch.sin(w).sum())(w)
loss = torch.sin(w).sum()
loss.backward()
print(slope, w.grad)
