# ---
# jupyter:
#   gradclinic:
#     text: "DefaultCPUAllocator: can't allocate memory"
#     kind: error
#     cause: out_of_memory
#     because: >-
#       One tensor was asked for that is larger than all memory. A shape that grew by mistake is the usual reason:
#       here every row meets every column, and two vectors of ten million elements make a table of 10 to the power
#       of 14.
#     helps: >-
#       Look at the shapes on the line that failed: print them just before it. If both sides should have the same
#       shape, give them the same shape first.
# ---

# %% tags=["broken", "raises-exception"]
import torch

prediction = torch.ones(10_000_000, 1, requires_grad=True)
target = torch.zeros(10_000_000)
loss = (prediction - target).pow(2).mean()
loss.backward()

# %% tags=["ask", "unnamed"]
diagnose(prediction)

# %% tags=["fixed"]
import torch

prediction = torch.ones(10_000_000, 1, requires_grad=True)
target = torch.zeros(10_000_000)
loss = (prediction.squeeze(1) - target).pow(2).mean()
loss.backward()
print(prediction.grad.shape)
