# ---
# jupyter:
#   gradclinic:
#     title: Retain the graph?
#     id: retain_graph
#     question: backward() says that I go through the graph a second time, and recommends retain_graph=True. Should I?
#     causes: [graph_freed, history_kept]
#     claims: [Q5]
#     symptoms:
#       - {text: "Trying to backward through the graph a second time", kind: error, cell: second-time}
#       - {text: "modified by an inplace operation", kind: error, cell: retain-and-step}
#       - {text: "with retain_graph=True the memory grows with every batch", kind: silent, cell: cost}
#       - {text: "with retain_graph=True the gradients are other ones", kind: silent, cell: other-gradient}
#     objectives:
#       - Say what the first backward() frees, and which second walk needs it.
#       - Cut the history of a state that is carried on, and keep its value.
#       - Tell where retain_graph=True is right and where it hides a fault, and say what it costs.
#     minutes: {teach: 20, exercise: 20}
#     core: false
#     prerequisites: [backward_first, autograd_grad]
#     predict:
#       ask: Every window has a loss of its own, and one backward(). Which windows get done?
#       choices:
#         - text: none of them
#           when: "done:"
#           because: "The first backward() meets a fresh graph, with all its values still there."
#         - text: the first
#           when: "done: first"
#           because: "The second loss came from the first window's state, so its walk reaches the part that is freed."
#         - text: the first and the second
#           when: "done: first second"
#           because: "The second window already starts from a state that has a history."
#         - text: all three
#           when: "done: first second third"
#           because: "That would be true if each window had a graph of its own. But the state brings its old graph."
#     notes:
#       predict:
#         - "Ask: which tensors does the second loss depend on? Let them list all of them, back to the start."
#       run:
#         - "Note: the message recommends retain_graph=True. Do not comment on it yet."
#       investigate:
#         - "Demo: count the tanh nodes in the picture. There was one in each window; why are there two?"
#         - "Ask: before the table of the costs: what do you expect after a hundred windows?"
#         - "Note: the version error after a step is the same fault again. It is often the next question in a forum."
#       modify:
#         - "Ask: what is the longest history that you can pay for? This is how people choose the window."
#       make:
#         - "Note: the two functions raise the same error and need opposite cures. Let them say why before they type."
#     hints:
#       - >-
#         In each function, which part of the graph is walked twice? Is the second walk through it wanted?
#       - >-
#         In train, the next window needs the number in state, and not the way it came about. In two_pulls, both losses
#         really go back through the same code, and each pull is wanted on its own.
#       - >-
#         train: state = state.detach() as the first line of the outer loop. two_pulls:
#         price_loss.backward(retain_graph=True), and nothing in the second call.
# ---

# %% [markdown]
# ## Predict
#
# A network with a memory reads a recording in three windows. The state of one window is where the next one starts.

# %% tags=["predict"]
import torch

w = torch.tensor(0.5, requires_grad=True)
state, done = torch.tensor(1.0), []
try:
    for window in ("first", "second", "third"):
        state = torch.tanh(w * state)
        loss = (state - 1) ** 2
        loss.backward()
        done.append(window)
except RuntimeError:
    pass

# %% [markdown]
# ## Run

# %% tags=["run"]
print("done:", *done)

# %% [markdown]
# This is the error that the `try` has caught. The loss is that of the second window:

# %% tags=["second-time", "raises-exception"]
loss.backward()

# %% [markdown]
# ## Investigate
#
# [graph: predict]
#
# This is the graph of the second loss, and it holds both windows: `state` was carried on with its history. The first
# `backward()` freed what its part of the graph had saved for the way back (`*` saves its factors, `tanh` its result).
# The second one walks into that part and finds the values gone.
#
# How many values does an operation save? PyTorch lets us watch:

# %% tags=["saved"]
from torch.autograd.graph import saved_tensors_hooks


def saved_by(operation):
    count = []
    with saved_tensors_hooks(lambda tensor: count.append(1), lambda nothing: nothing):
        operation()
    return len(count)


x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
operations = {"x * y": lambda: x * y, "tanh(x)": lambda: torch.tanh(x), "x + 1": lambda: x + 1}
for name, operation in operations.items():
    print(f"{name:8} saves", saved_by(operation))

# %% [markdown]
# An addition saves nothing, so nothing can be gone, and a second walk is not refused. It adds its gradient to the
# first:

# %% tags=["nothing-saved"]
z = x + 1
z.backward()
z.backward()
print(x.grad)

# %% [markdown]
# ### Where retain_graph hides the fault
#
# The message recommends `retain_graph=True`, and with it the error is gone. Let us count what this costs: the nodes
# that each `backward()` has to walk through, and the bytes that the graph still holds after it.


# %% tags=["counting"]
class Kept:
    """Stands for a value that the graph saves; counts the bytes for as long as the graph holds it."""

    bytes = 0

    def __init__(self, tensor):
        self.tensor = tensor.detach()
        Kept.bytes += tensor.nbytes

    def __del__(self):
        Kept.bytes -= self.tensor.nbytes


def count_nodes(loss):
    """All nodes that a walk from this loss meets. Meant for small graphs: the counting is done in Python."""
    seen, todo = set(), [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [earlier for earlier, _ in node.next_functions]
    return len(seen)


# %% tags=["windows"]
torch.manual_seed(0)
recording = torch.randn(6, 2, 16, 8)  # six windows, two steps each, a batch of 16
w_state = torch.randn(8, 8) / 3


def read(carry, **how):
    """One backward() for each window. Returns the summed gradient, and nodes and bytes for each window."""
    w, state, nodes, held = w_state.clone().requires_grad_(), torch.zeros(16, 8), [], []
    with saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        for window in recording:
            state = carry(state)
            for x in window:
                state = torch.tanh(x + state @ w)
            loss = ((state - 1) ** 2).mean()
            nodes.append(count_nodes(loss))
            loss.backward(**how)
            held.append(Kept.bytes)
    return w.grad, nodes, held


def with_history(state):
    return state


# %% tags=["cost"]
cut_gradient, nodes, held = read(torch.detach)
print("detach        nodes walked", nodes)
print("              bytes held  ", held)
kept_gradient, nodes, held = read(with_history, retain_graph=True)
print("retain_graph  nodes walked", nodes)
print("              bytes held  ", held)

# %% [markdown]
# With `detach()` each window costs the same, and nothing is left behind. With `retain_graph=True` every window adds
# to the graph, and every `backward()` walks through all of it again. A recording without an end fills any memory.
#
# And it is another gradient. Each loss now also pulls on the weights through all the windows before it:

# %% tags=["other-gradient"]
w, state, losses = w_state.clone().requires_grad_(), torch.zeros(16, 8), []
for window in recording:
    for x in window:
        state = torch.tanh(x + state @ w)
    losses.append(((state - 1) ** 2).mean())
(whole_history,) = torch.autograd.grad(sum(losses), w)

print("retain_graph is the gradient of the whole history:", torch.allclose(kept_gradient, whole_history))
print("detach gives the same:                            ", torch.allclose(cut_gradient, whole_history))

# %% [markdown]
# If the whole history is what you want, say so: add up the losses and call `backward()` once. If each window is to
# learn on its own, the state has to be detached. `retain_graph=True` has only silenced the error that told you so.
#
# And in training another error comes. Training takes a step after each window, and the old part of the graph still
# needs the old weight:

# %% tags=["retain-and-step", "raises-exception"]
w, state = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0)
for window in range(3):
    state = torch.tanh(w * state)
    loss = (state - 1) ** 2
    loss.backward(retain_graph=True)
    with torch.no_grad():
        w -= 0.1 * w.grad

# %% [markdown]
# The cure is one line. The value goes on, the history stays behind:

# %% tags=["cure"]
w, state, done = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0), []
for window in ("first", "second", "third"):
    state = torch.tanh(w * state.detach())
    loss = (state - 1) ** 2
    w.grad = None
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    done.append(window)
print("done:", *done)

# %% [markdown]
# ### Where retain_graph is needed
#
# There are programs that really want two walks through the same graph. Article Q has one: `backward()` for the
# parameters, then `autograd.grad` for an output. (The article asks about the wrong tensors, as lesson 05 shows. Here is
# the same with `c_s`, from which the loss was computed.)

# %% tags=["model"]
from torch import nn

torch.manual_seed(0)
cell, fc = nn.LSTMCell(input_size=4, hidden_size=16), nn.Linear(in_features=16, out_features=3)
features, targets = torch.randn(64, 5, 4), torch.randn(64, 5, 3)


def article_model():
    hx = cx = torch.zeros(64, 16)
    c_s = []
    for t in range(5):
        hx, cx = cell(features[:, t, :], (hx, cx))
        c_s.append((torch.relu(fc(hx)) * 0.8 + 20) * 2 * 0.9)
    return torch.stack(c_s, dim=1)


# %% tags=["without", "raises-exception"]
c_s = article_model()
loss = nn.functional.mse_loss(c_s, targets)
loss.backward()
torch.autograd.grad(loss, c_s)

# %% tags=["needed", "claim-Q5"]
c_s = article_model()
loss = nn.functional.mse_loss(c_s, targets)
loss.backward(retain_graph=True)
first = torch.autograd.grad(loss, c_s, retain_graph=True)[0]
second = torch.autograd.grad(loss, c_s)[0]  # the last walk may free the graph
print("c_s:", tuple(first.shape), "| both the same:", torch.equal(first, second))

# %% [markdown]
# So "needed before a further call on the same graph" is true, and the last call needs no `retain_graph`. Often one
# call can do it all, and then no graph has to be kept:

# %% tags=["one-walk"]
c_s = article_model()
loss = nn.functional.mse_loss(c_s, targets)
grad_c, *for_parameters = torch.autograd.grad(loss, [c_s, *fc.parameters()])
print("c_s:", tuple(grad_c.shape), "| parameters:", [tuple(g.shape) for g in for_parameters])

# %% [markdown]
# The other case: two losses share an encoder, and you want each one's pull by itself. Where you want only the sum,
# add the losses and walk once.

# %% tags=["two-losses"]
w = torch.tensor(0.5, requires_grad=True)
code = torch.tanh(w * 2)
price_loss, demand_loss = (code - 1) ** 2, (code**2 - 1) ** 2
(price_pull,) = torch.autograd.grad(price_loss, w, retain_graph=True)
(demand_pull,) = torch.autograd.grad(demand_loss, w)
print("each pull:", price_pull, demand_pull, "| their sum:", price_pull + demand_pull)

code = torch.tanh(w * 2)
((code - 1) ** 2 + (code**2 - 1) ** 2).backward()
print("one walk over the sum:", w.grad)

# %% [markdown]
# ## Modify
#
# Six windows again. Detach only every second one: two windows share a history, so the first of them must retain. What
# will the nodes and the bytes look like?

# %% tags=["every-second"]
cuts = iter([True, False] * 3)
_, nodes, held = read(lambda state: state.detach() if next(cuts) else state, retain_graph=True)

# %% tags=["every-second-result", "fold-output"]
print("nodes walked", nodes)
print("bytes held  ", held)

# %% [markdown]
# The history is never longer than two windows, so the cost stops growing. You choose how long the history is: put the
# `detach()` there. With `retain_graph=True` and no `detach()` the history grows with every window, as you saw above.
#
# ## Make
#
# Two functions stop with the same error. In one the second walk is a mistake, in the other it is wanted. Repair both,
# and run `gradclinic check retain_graph`.
