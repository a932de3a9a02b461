# ---
# jupyter:
#   gradclinic:
#     text: "returned nan values in its 0th output"
#     kind: error
#     cause: nonfinite_derivative
# ---

# %% tags=["broken", "raises-exception"]
import warnings

import torch

warnings.simplefilter("ignore")  # the error comes with a long warning: the traceback of sqrt()
x = torch.tensor([0.0, 4.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    root = torch.where(x > 0, x.sqrt(), 0.0)
    loss = root.sum()
    loss.backward()

# %% tags=["ask"]
diagnose(x, loss)

# %% tags=["fixed"]
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
safe = torch.where(x > 0, x, 1.0)
root = torch.where(x > 0, safe.sqrt(), 0.0)
loss = root.sum()
loss.backward()
print(x.grad)
