# ---
# jupyter:
#   gradclinic:
#     text: "The optimizer steps without an error, and no parameter moves"
#     kind: silent
#     cause: functional_grad
#     shows: "True"
#     also:
#       - "the weights do not move"
#       - "the loss stays the same in every step"
#     because: >-
#       The gradients were computed by `torch.autograd.grad`, which returns them and touches no `.grad`. The
#       optimizer reads `.grad`, finds None and passes the parameter by. It raises no error, because a parameter
#       without a gradient is allowed.
# ---

# %% tags=["broken"]
import torch

w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w - 5) ** 2
(slope,) = torch.autograd.grad(loss, w)
optimizer.step()
print(w.item() == 2.0)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w - 5) ** 2
loss.backward()
optimizer.step()
print(w.item() == 2.0)
