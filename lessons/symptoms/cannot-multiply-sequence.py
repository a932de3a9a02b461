# ---
# jupyter:
#   gradclinic:
#     text: "can't multiply sequence by non-int of type 'float'"
#     kind: error
#     cause: functional_grad
#     because: >-
#       `torch.autograd.grad` returns a tuple with one gradient for each tensor that you ask about, even when you
#       ask about one. The line multiplies this tuple by a number. Python then thinks of repeating a sequence, and
#       that needs a whole number.
#     helps: "Unpack the tuple: `(slope,) = torch.autograd.grad(loss, w)`, or take its first element with `[0]`."
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w - 5) ** 2
slope = torch.autograd.grad(loss, w)
step = 0.1 * slope

# %% tags=["ask", "unnamed"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w - 5) ** 2
(w.grad,) = torch.autograd.grad(loss, w)
step = 0.1 * w.grad
print(step)
