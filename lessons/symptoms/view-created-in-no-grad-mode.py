# ---
# jupyter:
#   gradclinic:
#     text: "A view was created in no_grad mode and is being modified inplace with grad mode enabled"
#     kind: error
#     cause: inplace_on_view
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
hidden = w * 3
with torch.no_grad():
    first = hidden[0]
first *= 10
loss = hidden.sum()
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
hidden = w * 3
hidden[0] *= 10
loss = hidden.sum()
loss.backward()
print(w.grad)
