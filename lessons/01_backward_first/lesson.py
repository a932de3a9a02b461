# ---
# jupyter:
#   gradclinic:
#     title: Backward first
#     id: backward_first
#     question: I asked for a gradient. When does it appear, and on what do I call backward()?
#     causes: [no_backward, non_scalar_loss]
#     claims: [A1, A2]
#     symptoms:
#       - {text: "'NoneType' object has no attribute 'norm'", kind: error, cell: too-early}
#       - {text: "grad can be implicitly created only for scalar outputs", kind: error, cell: vector}
#       - {text: "requires_grad is True, and .grad is None: backward() has not run yet", kind: silent, cell: run}
#     objectives:
#       - Say which line of a program fills .grad, and which tensors it reaches.
#       - Choose the one number that backward() starts from, and say what the choice changes.
#     minutes: {teach: 10, exercise: 10}
#     core: true
#     prerequisites: []
#     predict:
#       ask: What are the two values that it prints?
#       choices:
#         - text: None, then None
#           when: "None None"
#           because: "Nobody has to call y.backward() as well. One backward() on z walks through y to x."
#         - text: None, then the gradient
#           when: "None tensor([0.6667, 0.6667, 0.6667])"
#           because: "The first look came too early: backward() is the line that fills .grad."
#         - text: zeros, then the gradient
#           when: "tensor([0., 0., 0.]) tensor([0.6667, 0.6667, 0.6667])"
#           because: "Before the first backward() there is no gradient at all, not even zeros: .grad is None."
#         - text: the gradient, twice
#           when: "tensor([0.6667, 0.6667, 0.6667]) tensor([0.6667, 0.6667, 0.6667])"
#           because: "Computing z only notes the way back. At the first look, backward() had not taken it yet."
#     notes:
#       predict: ["Ask: which line, exactly, puts something into x.grad? Have everybody point at it."]
#       run: ["Note: a None seldom shows itself. It ends as an AttributeError some lines later, as in the second cell."]
#       investigate:
#         - "Demo: walk from z to x with a finger. Then y.backward(): which of the three numbers do you start from?"
#         - "Note: the advice to call backward() on y as well is widespread. Let it run before you explain."
#       make: ["Ask: mean, sum and losses[0] all run without an error. Which of them is the step that was promised?"]
#     hints:
#       - Which line fills w.grad? Which line is the first to read it?
#       - >-
#         backward() starts at one number, and losses has one for each trip. The step goes down on one number made of
#         all of them. Which one does the docstring name?
#       - >-
#         losses.mean().backward() comes first, then gradient_norm = w.grad.norm(), then the new weights. losses itself
#         stays as it is.
# ---

# %% [markdown]
# ## Predict
#
# Three numbers, doubled, averaged. We look at `x.grad` twice: once on the way, once at the end.

# %% tags=["predict"]
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
z = y.mean()
before = x.grad
z.backward()

# %% [markdown]
# ## Run

# %% tags=["run"]
print(before, x.grad)

# %% [markdown]
# In a real program nobody prints the early `None`. It is used, and the error speaks of something else:

# %% tags=["too-early", "raises-exception"]
before.norm()

# %% [markdown]
# ## Investigate
#
# [graph: predict root=z]
#
# Computing `y` and `z` fills no gradient. It only builds this graph: each result notes how to go back from it.
# `backward()` takes that way: from `z` along every path. At each leaf that asked (`requires_grad=True`) it leaves the
# gradient in `.grad`.
#
# So one call is enough for all of them, however deep they sit:

# %% tags=["every-leaf"]
w1 = torch.tensor(0.5, requires_grad=True)
w2 = torch.tensor(2.0, requires_grad=True)
hidden = torch.tanh(w1 * 3)
loss = (w2 * hidden - 1) ** 2
loss.backward()
print("w1", w1.grad, "| w2", w2.grad)

# %% [markdown]
# [graph: every-leaf]
#
# Article A shows the program from the top (without our early look) and prints its last line as None:

# %% tags=["article", "claim-A1"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
z = y.mean()
z.backward()
print(x.grad)

# %% [markdown]
# Its explanation: only `z` got a `backward()`, and `y` got none. Let us follow that advice:

# %% tags=["vector", "raises-exception", "claim-A2"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.backward()

# %% [markdown]
# `y` holds three numbers, and a gradient belongs to one number: it says how that number moves when `x` moves. `z`, the
# mean of the three, is one number, and so is every loss that you train on.
#
# ## Modify
#
# There are ways to get past that error. Before you unfold the result: which of the four below gives the gradient of
# the mean?


# %%
def gradient_after(go_back):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    go_back(x * 2)
    return x.grad


# %% tags=["modify", "fold-output"]
print("mean            ", gradient_after(lambda y: y.mean().backward()))
print("weights of 1    ", gradient_after(lambda y: y.backward(torch.ones(3))))
print("weights of 1/3  ", gradient_after(lambda y: y.backward(torch.full((3,), 1 / 3))))
print("the first number", gradient_after(lambda y: y[0].backward()))

# %% [markdown]
# None of them raises an error, and they are not the same gradient. Weights of 1 give the gradient of the *sum*, which
# is three times that of the mean. `y[0]` gives the gradient of the first number alone. The error asked you a question:
# the gradient of which number? Do not answer with the first line that runs.
#
# ## Make
#
# A first training step, with a report of every trip's loss and of the gradient's length. It stops half-way, and one
# repair is not enough. Mend it, then ask for the verdict: `gradclinic check backward_first`.
