# ---
# jupyter:
#   gradclinic:
#     text: "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype"
#     kind: error
#     cause: integer_dtype
#     because: >-
#       `mean` divides, and it gives a result of the type of its input. The elements here are integers, and their
#       mean is seldom one. Integers carry no gradient either, so a loss made from them would have no graph.
#     helps: >-
#       Convert first: `errors.float().mean()`. If the values come from `argmax` or from a comparison, ask for a
#       smooth stand-in instead.
# ---

# %% tags=["broken", "raises-exception"]
import torch

target = torch.tensor([1, 2])
prediction = torch.tensor([1, 4])
loss = (prediction - target).mean()
loss.backward()

# %% tags=["ask"]
diagnose(prediction)

# %% tags=["fixed"]
import torch

target = torch.tensor([1, 2])
prediction = torch.tensor([1.0, 4.0], requires_grad=True)
loss = (prediction - target).mean()
loss.backward()
print(prediction.grad)
