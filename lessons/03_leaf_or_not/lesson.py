# ---
# jupyter:
#   gradclinic:
#     title: Leaf or not
#     id: leaf_or_not
#     question: I switched requires_grad on and called backward(). Why is w.grad None?
#     causes: [not_a_leaf, shadowed_leaf]
#     claims: [Q1]
#     symptoms:
#       - text: "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"
#         kind: warning
#         cell: run
#       - {text: "can't optimize a non-leaf Tensor", kind: error, cell: optimizer}
#       - {text: "The model stores an nn.Parameter, and parameters() does not list it", kind: silent, cell: parameter}
#     objectives:
#       - Tell a leaf from the result of an operation, by is_leaf and grad_fn.
#       - Find the line where a name stopped holding the leaf.
#       - Create a scaled, moved or reshaped tensor that is a leaf.
#     minutes: {teach: 10, exercise: 10}
#     core: true
#     prerequisites: [backward_first, requires_grad_false]
#     predict:
#       ask: What does w.grad hold after backward()?
#       choices:
#         - text: "tensor([0.4000, 0.6000]), which is 2 * w"
#           when: "tensor([0.4000, 0.6000])"
#           because: "This gradient was computed on the way, and not kept: the tensor that w names is no leaf."
#         - text: "tensor([0.0400, 0.0600]), ten times smaller"
#           when: "tensor([0.0400, 0.0600])"
#           because: "This gradient exists. The leaf [2, 3] keeps it. But the name w holds another tensor now."
#         - text: "None"
#           when: "None"
#           because: "w = w * 0.1 gave the name w to the result of an operation. Only a leaf keeps its gradient."
#         - text: "tensor([0., 0.])"
#           when: "tensor([0., 0.])"
#           because: "Zeros would mean that the loss stays the same when w changes. Here it does not."
#     notes:
#       predict:
#         - "Ask: how many tensors has the name w held, when the program ends?"
#       run:
#         - "Note: the warning appears once for a line of code. In a long training log it is easy to miss."
#       investigate:
#         - "Demo: write the name w on a card. Move it from the leaf to the result. Which of them does backward() fill?"
#         - "Ask: why does one of the two .to() in the table do no harm?"
#       modify:
#         - "Note: requires_grad_() comes last in the line. Everything before it is ordinary arithmetic."
#       make:
#         - "Note: expect retain_grad() on w. The first step then works, and the second backward() raises."
#         - "Ask: after the repair, which tensors does backward() still walk through?"
#     hints:
#       - "Print w.is_leaf before the loop. Which tensor is the leaf, and does a name still hold it?"
#       - "Do the arithmetic of the start first, and switch the flag on last. And each w[0] is a new tensor, but w.grad
#         can be indexed like any tensor."
#       - "w = (w0 * 0.1).requires_grad_() before the loop, and w.grad[0] where the gradient of the offset is noted."
# ---

# %% [markdown]
# ## Predict
#
# Two weights start small: we scale them by a tenth. Then comes an ordinary loss and one `backward()`.

# %% tags=["predict"]
import torch

w = torch.tensor([2.0, 3.0], requires_grad=True)
w = w * 0.1
loss = (w**2).sum()
loss.backward()

# %% [markdown]
# ## Run

# %% tags=["run"]
print(w.grad)

# %% [markdown]
# `None`, and this time PyTorch warns. The warning says what this line does: it reads the `.grad` of a tensor that is
# not a leaf.
#
# ## Investigate
#
# [graph: predict]
#
# The name `w` has held two tensors, one after the other. The first is a **leaf**: no recorded operation made it. The
# second is a result. `backward()` leaves a gradient in the leaf and none in the result, and the line `w = w * 0.1`
# gave the name to the result.

# %%
print("w.is_leaf       ", w.is_leaf)
print("w.requires_grad ", w.requires_grad)
print("w was made by   ", w.grad_fn.name())

# %% [markdown]
# Note `requires_grad`: it says that a gradient flows through here, not that it is kept here. The leaf has lost its
# name, but the graph still holds it. So we can look where the gradient went:

# %%
leaf = w.grad_fn.next_functions[0][0].variable
print("the leaf       ", leaf.detach(), "is_leaf", leaf.is_leaf)
print("its gradient   ", leaf.grad)

# %% [markdown]
# It is ten times smaller than `2 * w`, because it is the gradient of the loss with respect to the tensor *before* the
# scaling.
#
# ### The same mistake in other forms
#
# Every operation does this, not only arithmetic. The last line is the exception that surprises people:


# %% tags=["rebound"]
def rebind(change):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    w = change(w)
    (w**2).sum().backward()
    return w


changes = {
    "w * 0.1": lambda w: w * 0.1,
    "w.view(2, 1)": lambda w: w.view(2, 1),
    "w.to(torch.float64)": lambda w: w.to(torch.float64),
    "w.to(torch.float32)": lambda w: w.to(torch.float32),
}
for text, change in changes.items():
    w = rebind(change)
    print(f"w = {text:20} is_leaf {w.is_leaf!s:6} w.grad {w.grad}")

# %% [markdown]
# `w` already was float32, so the last `.to()` had nothing to do: it returned the leaf itself. That is why such a line
# can work for a long time, and fail on the day when `.to()` has something to change.
#
# A part of a tensor is the result of an operation, too:

# %% tags=["part"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x**2).sum().backward()
print("x[0].grad ", x[0].grad)
print("x.grad[0] ", x.grad[0])
print("x[0] is x[0]:", x[0] is x[0])

# %% [markdown]
# Each `x[0]` that you write makes a new tensor, and the loss was computed from `x`, not from this one. Ask the leaf
# first and take the part afterwards: `x.grad[0]`.
#
# An optimizer checks at once whether it was given a leaf. If not, it refuses:

# %% tags=["optimizer", "raises-exception"]
latent = torch.ones(3, requires_grad=True) * 0.5
torch.optim.SGD([latent], lr=0.1)

# %% [markdown]
# And the result of an operation on a `Parameter` is no `Parameter`, so a model that stores it does not list it:

# %% tags=["parameter"]
from torch import nn

model = nn.Module()
model.scale = nn.Parameter(torch.ones(2)).to(torch.float64)
print(type(model.scale).__name__, "| parameters of the model:", list(model.parameters()))

# %% [markdown]
# ### What the article says
#
# Article Q explains the rule in one sentence: PyTorch stores gradients for leaves only, and an intermediate tensor
# needs `retain_grad()`.

# %% tags=["claim-Q1"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.sum().backward()
print("without retain_grad: x.grad", x.grad, "| y.grad", y.grad)

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.retain_grad()
y.sum().backward()
print("with retain_grad:    x.grad", x.grad, "| y.grad", y.grad)

# %% [markdown]
# That is true. But `retain_grad()` is the cure only if you want the gradient of the *result*. For weights that you
# train, you want the leaf to have a name again.
#
# ## Modify
#
# Go back to the first program. Do the scaling first and switch the flag on last. Is `w` a leaf now, and which of the
# two gradients does it hold?

# %%
w = (torch.tensor([2.0, 3.0]) * 0.1).requires_grad_()
loss = (w**2).sum()
loss.backward()

# %% tags=["fold-output"]
print("is_leaf", w.is_leaf, "| w.grad", w.grad)

# %% [markdown]
# Now keep the line `w = w * 0.1` and call `w.retain_grad()` after it. One step works. Try a second step from the same
# `w`:

# %% tags=["second-step", "raises-exception", "fold-output"]
w = torch.tensor([2.0, 3.0], requires_grad=True)
w = w * 0.1
w.retain_grad()
for step in (1, 2):
    loss = (w**2).sum()
    loss.backward()
    print("step", step, "w.grad", w.grad)

# %% [markdown]
# The second `backward()` walks from the new loss to `w`, and on to the old multiplication. But the first one has freed
# what that multiplication had saved. Behind a weight that is a leaf there is nothing to walk through.
#
# ## Make
#
# The exercise is an optimizer written by hand. Its start is `w0 * 0.1`, and it notes the gradient of one weight at
# every step. It stops at the first step. Repair it in whichever way you like, then run
# `gradclinic check leaf_or_not`.
