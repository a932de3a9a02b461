# ---
# jupyter:
#   gradclinic:
#     text: "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed"
#     kind: error
#     cause: inference_tensor
# ---

# %% tags=["broken", "raises-exception"]
import torch

with torch.inference_mode():
    features = torch.ones(3) * 2
features.requires_grad_()

# %% tags=["ask"]
diagnose(features)

# %% tags=["fixed"]
import torch

with torch.inference_mode():
    features = torch.ones(3) * 2
features = features.clone().requires_grad_()
loss = features.sum()
loss.backward()
print(features.grad)
