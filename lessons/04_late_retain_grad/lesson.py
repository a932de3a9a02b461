# ---
# jupyter:
#   gradclinic:
#     title: Late retain_grad
#     id: late_retain_grad
#     question: I called retain_grad(), and .grad is still None. When is it too late?
#     causes: [retained_late]
#     claims: [Q2]
#     symptoms:
#       - text: "retain_grad() was called, .grad is None, and there is no error and no warning"
#         kind: silent
#         cell: run
#       - {text: "can't retain_grad on Tensor that has requires_grad=False", kind: error, cell: untracked}
#     objectives:
#       - Name the moment until which retain_grad() works, wherever it is called.
#       - Explain what a second backward() does to the other gradients.
#       - Get an intermediate gradient from a model whose code you cannot change.
#     minutes: {teach: 10, exercise: 10}
#     core: true
#     prerequisites: [leaf_or_not]
#     predict:
#       ask: Which of the two has a gradient?
#       choices:
#         - text: both y and z
#           when: "True True"
#           because: "z asked after backward() had passed. Nothing was kept for it."
#         - text: only y
#           when: "True False"
#           because: "y asked before backward(), and z after it. Nothing else counts."
#         - text: only z
#           when: "False True"
#           because: "The only backward() had already passed when z asked."
#         - text: neither
#           when: "False False"
#           because: "y asked when the loss was already computed, but before backward(). That is early enough."
#     notes:
#       predict:
#         - "Ask: at which line does a gradient flow through y? Everything before that line is early enough."
#       run:
#         - "Note: in the lesson before, PyTorch warned. Here it is silent, because retain_grad() was called."
#       investigate:
#         - "Demo: move the call of retain_grad() one line down at a time, and run after each move."
#         - "Note: the article's advice, to call it inside the model, does work. Its reason is what is wrong."
#       modify:
#         - "Ask: which of the ways would you take in a model from a library?"
#       make:
#         - "Note: expect a second backward(). The map is then right, and the gradient of the weights is doubled."
#     hints:
#       - "Read the lines from the forward pass to features.grad in their order. At which of them does the gradient flow
#         through features?"
#       - "retain_grad() is a request to a backward() that is still to come. Does one come after yours?"
#       - "Move features.retain_grad() one line up, above scores[label].backward()."
# ---

# %% [markdown]
# ## Predict
#
# Two results in the middle of a computation, and two calls of `retain_grad()`. Look at *when* they are called.

# %% tags=["predict"]
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
z = y**2
loss = z.sum()

y.retain_grad()
loss.backward()
z.retain_grad()

# %% [markdown]
# ## Run

# %% tags=["run"]
print(y.grad is not None, z.grad is not None)

# %% [markdown]
# No error and no warning. PyTorch has noted the request: from now on `z` keeps its gradient. But the only `backward()`
# is already over:

# %%
print("z.retains_grad", z.retains_grad, "| z.grad", z.grad)

# %% [markdown]
# ## Investigate
#
# [graph: predict]
#
# Both tensors are on the path, and a gradient flowed through both. `retain_grad()` is a request: keep what the next
# `backward()` brings here. A `backward()` does not look at requests that come after it, and it does not run again by
# itself.
#
# So it does not matter where you call it: in which function, inside the model or outside. It only matters when: before
# `backward()`, or after.
#
# ### Article Q, on its own model
#
# The article retains three outputs of a model, and finds `None` for two of them. The reason that it gives: outside
# the model it is too late, the graph is already built; the call must stand right after the creation of the tensor.
# Here is that model, with a `forward` that can do both. (It starts from a state of zeros instead of random numbers,
# so that every run is the same.)

# %%
from torch import nn


class SmallModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm_cell = nn.LSTMCell(input_size=4, hidden_size=16)
        self.fc = nn.Linear(16, 3)

    def forward(self, features, retain_inside):
        hx, cx = torch.zeros(len(features), 16), torch.zeros(len(features), 16)
        c_s = []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t], (hx, cx))
            a = torch.relu(self.fc(hx)) * 0.8 + 20
            b = a * 2
            c = b * 0.9
            c_s.append(c)
        c_s = torch.stack(c_s, dim=1)
        if retain_inside:
            c_s.retain_grad()
        return c_s


torch.manual_seed(0)
model = SmallModel()
features, targets = torch.randn(64, 5, 4), torch.randn(64, 5, 3)


# %% [markdown]
# We call `retain_grad()` on the stack `c_s`, from which the loss is computed, at four places:


# %% tags=["claim-Q2"]
def train_step(place):
    c_s = model(features, retain_inside=place == "inside the model")
    if place == "outside, after forward":
        c_s.retain_grad()
    loss = nn.functional.mse_loss(c_s, targets)
    if place == "after the loss":
        c_s.retain_grad()
    loss.backward()
    if place == "after backward()":
        c_s.retain_grad()
    return c_s.grad


for place in ("inside the model", "outside, after forward", "after the loss", "after backward()"):
    grad = train_step(place)
    print(f"{place:24} c_s.grad", None if grad is None else tuple(grad.shape))

# %% [markdown]
# Outside the model is early enough, and so is the line after the loss. What the article saw in its other two tensors
# has another cause: they do not lie on the path of the loss. That is the next lesson.
#
# ### Asking a tensor that has no gradient
#
# Where nothing is recorded, no gradient can come. Then `retain_grad()` does not stay silent:

# %% tags=["untracked", "raises-exception"]
with torch.no_grad():
    untracked = x * 3
untracked.retain_grad()

# %% [markdown]
# On a leaf the call is allowed, and does nothing: a leaf keeps its gradient anyway.

# %%
leaf = torch.tensor([1.0, 2.0], requires_grad=True)
leaf.retain_grad()
(leaf * 3).sum().backward()
print("retains_grad", leaf.retains_grad, "| grad", leaf.grad)

# %% [markdown]
# ### Too late: can a second backward() repair it?
#
# It can, and it has a price. Look at the gradient of `x`:

# %% tags=["again"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
loss = (y**2).sum()
loss.backward(retain_graph=True)
once = x.grad.clone()
y.retain_grad()
loss.backward()
print("y.grad", y.grad)
print("x.grad", x.grad, "after one backward():", once)

# %% [markdown]
# `y` has its gradient. But `x` has received its gradient twice, and plain gradient descent would take a step twice as
# long. Ask in time instead.
#
# ## Modify
#
# In the first program, move `z.retain_grad()` one line up, above `loss.backward()`. What do `y.grad` and `z.grad`
# hold?

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
z = y**2
loss = z.sum()

y.retain_grad()
z.retain_grad()
loss.backward()

# %% tags=["fold-output"]
print("y.grad", y.grad, "| z.grad", z.grad)

# %% [markdown]
# And when the tensor is made deep inside a model that you cannot edit? A forward hook hands you the output of a layer
# as soon as it is made. Take it there, and retain it:

# %%
network = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
kept = []


def keep(layer, inputs, output):
    output.retain_grad()
    kept.append(output)


network[1].register_forward_hook(keep)
network(torch.randn(5, 4)).sum().backward()

# %% tags=["fold-output"]
print("gradient of the tanh:", tuple(kept[0].grad.shape))

# %% [markdown]
# ## Make
#
# The exercise is Grad-CAM: it shows which parts of an image support a label, and needs the gradient of the feature
# maps. It asks for it too late. Repair it in whichever way you like, then run `gradclinic check late_retain_grad`.
# The gradient of the weights must stay right.
