# ---
# jupyter:
#   gradclinic:
#     text: "a view of a leaf Variable that requires grad is being used in an in-place operation"
#     kind: error
#     boost: 8
#     cause: inplace_on_leaf
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w - 5).pow(2).sum()
loss.backward()
w[0] = 0.0

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w - 5).pow(2).sum()
loss.backward()
with torch.no_grad():
    w[0] = 0.0
print(w, w.grad)
