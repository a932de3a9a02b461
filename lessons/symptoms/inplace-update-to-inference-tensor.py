# ---
# jupyter:
#   gradclinic:
#     text: "Inplace update to inference tensor outside InferenceMode is not allowed"
#     kind: error
#     cause: inference_tensor
# ---

# %% tags=["broken", "raises-exception"]
import torch

with torch.inference_mode():
    features = torch.ones(3) * 2
features += 1

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

with torch.no_grad():
    features = torch.ones(3) * 2
features += 1
w = torch.ones(3, requires_grad=True)
loss = (w * features).sum()
loss.backward()
print(w.grad)
