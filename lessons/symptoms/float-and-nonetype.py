# ---
# jupyter:
#   gradclinic:
#     text: "unsupported operand type(s) for *: 'float' and 'NoneType'"
#     kind: error
#     cause: shadowed_leaf
#     because: >-
#       `w.grad` is None in the second step. The update `w = w - 0.1 * w.grad` made a new tensor and gave it the
#       name `w`: the result of an operation, not the leaf. The next `backward()` fills `.grad` of the leaf behind
#       it, which has no name any more.
#     helps: "Update in place, under `torch.no_grad()`: `w -= 0.1 * w.grad`. Then `w` stays the leaf that it was."
# ---

# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor(2.0, requires_grad=True)
for step in range(2):
    loss = (w - 5) ** 2
    loss.backward()
    w = w - 0.1 * w.grad

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(2.0, requires_grad=True)
for step in range(2):
    w.grad = None
    loss = (w - 5) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
print(w)
