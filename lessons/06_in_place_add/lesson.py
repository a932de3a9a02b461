# ---
# jupyter:
#   gradclinic:
#     title: Written in place
#     id: in_place_add
#     question: Does y.add_(1) lose the gradient?
#     causes: [inplace_on_leaf, inplace_on_saved, edited_through_data, modified_after_use]
#     claims: [A5, A6]
#     symptoms:
#       - text: "a leaf Variable that requires grad is being used in an in-place operation"
#         kind: error
#         cell: on-a-leaf
#       - text: "one of the variables needed for gradient computation has been modified by an inplace operation"
#         kind: error
#         cell: on-a-saved-value
#       - text: "The gradient has wrong numbers after an edit through .data, and nothing warns"
#         kind: silent
#         cell: through-data
#       - text: "retain_grad() came in time, and .grad is None after a later in-place operation"
#         kind: silent
#         cell: after-the-loss
#     objectives:
#       - Tell from the operation whether its result or its input may be overwritten before backward().
#       - Read the version error and find the line that wrote in place.
#       - Say why an edit through .data is worse than an error.
#       - Update a leaf by hand without an error.
#     minutes: {teach: 20, exercise: 20}
#     core: true
#     prerequisites: [leaf_or_not, late_retain_grad]
#     predict:
#       ask: What will x.grad be?
#       choices:
#         - text: None, because add_ broke the graph
#           when: "None"
#           because: Article A says so. But add_ is recorded like any other operation, and the graph stays whole.
#         - text: 0.6667 three times
#           when: "tensor([0.6667, 0.6667, 0.6667])"
#           because: The mean gives 1/3 to each element, add_(1) passes it on, and x * 2 doubles it.
#         - text: 0.3333 three times, because add_ wrote over x * 2
#           when: "tensor([0.3333, 0.3333, 0.3333])"
#           because: The value of y was overwritten, the operation was not. Its derivative is 2, whatever y holds now.
#         - text: there is no x.grad, because backward() raises an error
#           when: "RuntimeError"
#           because: Some in-place operations do end like that, and you will meet them below. This one is harmless.
#     notes:
#       predict:
#         - "Ask: which numbers does backward() need, to go from y back to x?"
#       run:
#         - "Ask: in the article the output is a comment beside the print. How can a reader find out if it is true?"
#       investigate:
#         - "Demo: print y._version before and after each in-place operation."
#         - "Note: the four cells stand for four outcomes: an error at once, an error later, wrong numbers, nothing."
#         - "Ask: which of the four would you prefer in a training run of three days? Which would be the worst?"
#       modify:
#         - "Ask: fill in the column by hand first. Does the derivative of exp need the input or the result?"
#       make:
#         - "Note: behind the first error waits a second, and behind that a gradient that is lost without one."
#         - "Note: w = w - lr * w.grad is a frequent second attempt. It makes w the result of an operation."
#     hints:
#       - There are three in-place operations besides zero_(). For each, ask what it overwrites, and whether autograd
#         still needs that.
#       - Sigmoid saved its result, w is a leaf, and the loss was computed from level. The first and the third operation
#         should make a new tensor. The second belongs where nothing is recorded.
#       - "brightness = brightness + ambient; with torch.no_grad(): w.sub_(lr * w.grad); percent = level * 100."
# ---

# %% [markdown]
# ## Predict
#
# Article A lists in-place operations among the things that turn a gradient into None. This is its program:

# %% tags=["predict"]
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.add_(1)
z = y.mean()
z.backward()

# %% [markdown]
# ## Run

# %% tags=["run", "claim-A5"]
print(x.grad)

# %% [markdown]
# The article's remedy is to make a new tensor. Does it cure anything?

# %% tags=["the-remedy", "claim-A6", "fold-output"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y = y.add(1)
z = y.mean()
z.backward()
print(x.grad)

# %% [markdown]
# ## Investigate
#
# [graph: predict root=z]
#
# There was nothing to cure. `add_` is in the graph like every other operation, so the way from `z` to `x` is whole. On
# that way `backward()` needs the factor 2, and it needs no value of `y`, so overwriting `y` does no harm.
#
# An in-place operation goes wrong only where it destroys something that is still needed. That happens in four ways.
#
# ### 1. On a leaf: an error at once
#
# `x` is a leaf: a tensor that you made, and whose gradient you want. If `add_` were recorded, `x` would become the
# result of an operation, and would no longer be that leaf. PyTorch refuses:

# %% tags=["on-a-leaf", "raises-exception"]
x.add_(1)

# %% [markdown]
# `+=` and its relatives write in place, too:

# %% tags=["minus-equals", "raises-exception"]
x -= 0.5 * x.grad

# %% [markdown]
# A step of training does have to change a leaf, and it does so where nothing is recorded. Afterwards `x` is still a
# leaf, and its gradient is still there:

# %% tags=["leaf-without-recording"]
with torch.no_grad():
    x.sub_(0.5 * x.grad)
print(x, "| leaf:", x.is_leaf, "| gradient:", x.grad)

# %% [markdown]
# ### 2. On a saved value: an error later
#
# The derivative of `s = sigmoid(x)` is `s * (1 - s)`. It is computed from the result, so sigmoid saves its result for
# the way back. Every tensor counts the in-place operations done to it. `backward()` compares this count with the count
# at the time of saving:

# %% tags=["the-counter"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
s = torch.sigmoid(x)
print("version when it was saved:", s._version)
s.add_(1)
print("version now:              ", s._version)

# %% tags=["on-a-saved-value", "raises-exception"]
s.mean().backward()

# %% [markdown]
# The error comes at `backward()`, but the mistake is in an earlier line. The message tells you what to look for: the
# operation that saved the value, the version of the value now, and the version that was expected. Switching the
# recording off does not help, because the saved value is overwritten all the same:

# %% tags=["no-grad-does-not-help"]
s = torch.sigmoid(x)
with torch.no_grad():
    s.add_(1)
try:
    s.mean().backward()
except RuntimeError as error:
    print(str(error).split(":")[0])

# %% [markdown]
# Here the article's remedy is the right one. A new tensor leaves the saved value alone:

# %% tags=["new-tensor"]
s = torch.sigmoid(x).add(1)
s.mean().backward()
right = x.grad
print(right)

# %% [markdown]
# ### 3. Through `.data`: no error, wrong numbers
#
# `.data` hands out the same numbers without the counter. The edit goes unnoticed, and `backward()` computes
# `s * (1 - s)` from numbers that sigmoid never returned:

# %% tags=["through-data"]
x.grad = None
s = torch.sigmoid(x)
s.data.add_(1)
s.mean().backward()
print("version:", s._version)
print("wrong:  ", x.grad)
print("right:  ", right)

# %% [markdown]
# The derivative of sigmoid is positive everywhere, and these numbers are negative: a step along them would go the wrong
# way. `s.detach()` shares its numbers with `s` too, but it shares the counter as well. So the same edit through
# `detach()` is caught at `backward()`:

# %% tags=["through-detach"]
s = torch.sigmoid(x)
s.detach().add_(1)
print("version:", s._version)
try:
    s.mean().backward()
except RuntimeError as error:
    print(str(error).split(":")[0])

# %% [markdown]
# ### 4. After the loss used it: a retained gradient is lost
#
# `level` is an intermediate result, and `retain_grad()` came in time. The loss is computed, and then a line turns
# `level` into percent, in place. No operation has saved the numbers in `level`, so no error comes:

# %% tags=["after-the-loss"]
w = torch.tensor([1.0, 2.0], requires_grad=True)
level = w * 3
level.retain_grad()
loss = ((level - 1) ** 2).mean()
percent = level.mul_(100)
loss.backward()
print("w.grad    ", w.grad)
print("level.grad", level.grad)

# %% [markdown]
# [graph: after-the-loss]
#
# The gradient did flow: `w` has it. But since `mul_` the name `level` stands for the *result* of the multiplication, a
# value that the loss never read. The retained gradient would be that of the new value, and none arrives there.
# With `percent = level * 100` there are two tensors, and the old one keeps its gradient:

# %% tags=["two-tensors"]
w.grad = None
level = w * 3
level.retain_grad()
loss = ((level - 1) ** 2).mean()
percent = level * 100
loss.backward()
print("w.grad    ", w.grad)
print("level.grad", level.grad)

# %% [markdown]
# | What is written in place | What happens |
# |---|---|
# | a result that nothing saved, before the loss reads it | nothing bad: the gradient is right |
# | a leaf that requires grad | an error at once |
# | a value that an operation saved | an error at `backward()` |
# | the same through `.data` | wrong numbers, in silence |
# | a retained tensor, after the loss read it | its gradient is None, in silence |
#
# Wherever `backward()` ran to its end, the leaf had a gradient: in none of these runs did an in-place operation turn it
# into None without an error.

# %% [markdown]
# ## Modify
#
# Some operations save their input for the way back, some their result, and some neither. Try `add_` on the inputs and
# on the results of these eight. Guess first: where will the version error come?

# %% tags=["modify"]
operations = {
    "x + 3": lambda v: v + 3,
    "x * 2": lambda v: v * 2,
    "x ** 2": lambda v: v**2,
    "sin(x)": torch.sin,
    "exp(x)": torch.exp,
    "sqrt(x)": torch.sqrt,
    "relu(x)": torch.relu,
    "tanh(x)": torch.tanh,
}


def outcome(operation, overwrite):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    before = x * 1
    after = operation(before)
    {"input": before, "result": after}[overwrite].add_(1)
    try:
        after.sum().backward()
    except RuntimeError:
        return "error"
    return "fine"


# %% tags=["which-save", "fold-output"]
print("           input overwritten   result overwritten")
for name, operation in operations.items():
    print(f"{name:10} {outcome(operation, 'input'):19} {outcome(operation, 'result')}")

# %% [markdown]
# ## Make
#
# The exercise is a gradient descent by hand and a small report. In it you meet two errors, one behind the other, and a
# gradient that gets lost without an error. Repair all three. `gradclinic check in_place_add` tells you how far you are.
