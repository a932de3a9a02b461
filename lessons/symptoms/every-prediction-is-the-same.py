# ---
# jupyter:
#   gradclinic:
#     text: "The loss goes down, and every prediction is the same"
#     kind: silent
#     cause: broadcast_target
#     shows: "torch.Size([3, 3])"
#     also:
#       - "the model predicts the mean"
# ---

# %% tags=["broken"]
import torch

x = torch.tensor([[1.0], [2.0], [3.0]])
target = torch.tensor([2.0, 4.0, 6.0])
w = torch.tensor([[2.0]], requires_grad=True)
errors = x @ w - target
loss = errors.pow(2).mean()
loss.backward()
print(errors.shape, w.grad)

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

x = torch.tensor([[1.0], [2.0], [3.0]])
target = torch.tensor([2.0, 4.0, 6.0])
w = torch.tensor([[2.5]], requires_grad=True)
errors = (x @ w).squeeze(1) - target
loss = errors.pow(2).mean()
loss.backward()
print(errors.shape, w.grad)
