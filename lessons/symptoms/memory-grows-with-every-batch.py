# ---
# jupyter:
#   gradclinic:
#     text: "With retain_graph=True the memory grows with every batch"
#     kind: silent
#     cause: history_kept
#     shows: "operations behind the loss: 9"
#     because: >-
#       The state of one step goes into the next, and its whole history comes along. `retain_graph=True` keeps what
#       all the earlier steps have saved, and every `backward()` walks through all of it again. The error of a
#       second backward pass was the warning; the flag has only silenced it.
# ---

# %% tags=["broken"]
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)


def operations(tensor):
    found, waiting = set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [before for before, _ in node.next_functions]
    return len(found)


for step in range(3):
    w.grad = None
    state = torch.tanh(w * state)
    loss = (state - 1) ** 2
    loss.backward(retain_graph=True)
    print("operations behind the loss:", operations(loss))

# %% tags=["ask", "unnamed"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)


def operations(tensor):
    found, waiting = set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [before for before, _ in node.next_functions]
    return len(found)


for step in range(3):
    w.grad = None
    state = torch.tanh(w * state.detach())
    loss = (state - 1) ** 2
    loss.backward()
    print("operations behind the loss:", operations(loss))
