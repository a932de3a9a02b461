# ---
# jupyter:
#   gradclinic:
#     text: "only Tensors of floating point dtype can require gradients"
#     kind: error
#     boost: 4.1
#     cause: integer_dtype
# ---

# %% tags=["broken", "raises-exception"]
import torch

image = torch.tensor([[0, 128], [255, 64]], dtype=torch.uint8)
image.requires_grad_()

# %% tags=["ask"]
diagnose(image)

# %% tags=["fixed"]
import torch

image = torch.tensor([[0, 128], [255, 64]], dtype=torch.uint8)
image = image.float().requires_grad_()
loss = image.mean()
loss.backward()
print(image.grad)
