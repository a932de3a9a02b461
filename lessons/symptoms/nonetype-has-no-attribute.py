# ---
# jupyter:
#   gradclinic:
#     text: "'NoneType' object has no attribute"
#     kind: error
#     cause: no_backward
#     also:
#       - "'NoneType' object has no attribute 'zero_'"
#       - "'NoneType' object has no attribute 'data'"
#     because: >-
#       The line reads `.grad` and goes on with it as with a tensor, but `.grad` is None. No backward pass has put a
#       gradient there yet. If one has run, it did not reach this tensor, and the question is where the gradient got
#       lost.
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = ((w - 5) ** 2).mean()
print(w.grad.norm())
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = ((w - 5) ** 2).mean()
loss.backward()
print(w.grad.norm())
