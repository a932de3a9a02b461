# ---
# jupyter:
#   gradclinic:
#     text: "With retain_graph=True the gradients are other ones"
#     kind: silent
#     cause: history_kept
#     shows: "tensor(-1.1080)"
#     because: >-
#       The state of one step goes into the next with all its history. So the gradient of each loss goes back
#       through every earlier step, and adds what the weights did there. With `detach()` each step answers for
#       itself alone: another gradient, and usually the one that was meant.
# ---

# %% tags=["broken"]
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)
for step in range(3):
    w.grad = None
    state = torch.tanh(w * state)
    loss = (state - 1) ** 2
    loss.backward(retain_graph=True)
    print(w.grad)

# %% tags=["ask", "unnamed"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)
for step in range(3):
    w.grad = None
    state = torch.tanh(w * state.detach())
    loss = (state - 1) ** 2
    loss.backward()
    print(w.grad)
