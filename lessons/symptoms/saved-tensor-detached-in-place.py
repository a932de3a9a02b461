# ---
# jupyter:
#   gradclinic:
#     text: "saved tensor that has been detached in-place"
#     kind: error
#     cause: modified_after_use
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor(2.0, requires_grad=True)
state = w * 3
loss = state * state
state.detach_()
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
state = w * 3
loss = state * state
state = state.detach()
loss.backward()
print(w.grad)
