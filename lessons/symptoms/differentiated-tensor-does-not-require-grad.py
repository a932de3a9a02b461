# ---
# jupyter:
#   gradclinic:
#     text: "One of the differentiated Tensors does not require grad"
#     kind: error
#     cause: requires_grad_false
# ---

# %% tags=["broken", "raises-exception"]
import torch

x = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0], requires_grad=True)
loss = (w * x).sum()
(slope,) = torch.autograd.grad(loss, x)

# %% tags=["ask"]
diagnose(x, loss)

# %% tags=["fixed"]
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
loss = (w * x).sum()
(x.grad,) = torch.autograd.grad(loss, x)
print(x.grad)
