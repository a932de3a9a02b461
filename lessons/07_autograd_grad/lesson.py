# ---
# jupyter:
#   gradclinic:
#     title: autograd.grad
#     id: autograd_grad
#     question: torch.autograd.grad ran. Where is the gradient, and what if the loss never used my tensor?
#     causes: [functional_grad, unused, materialized_zero]
#     claims: [A7, A8, Q4, Q6]
#     symptoms:
#       - {text: "the optimizer steps without an error, and no parameter moves", kind: silent, cell: run}
#       - {text: "can't multiply sequence by non-int of type 'float'", kind: error, cell: tuple}
#       - {text: "appears to not have been used in the graph", kind: error, cell: not-used}
#       - {text: "autograd.grad returned None", kind: silent, cell: none-and-zeros}
#       - {text: "the gradient is all zeros", kind: silent, cell: none-and-zeros}
#     objectives:
#       - Say where autograd.grad puts its result, and what it leaves as it was.
#       - Ask for the gradient of any tensor on the path, leaf or not, without disturbing a training step.
#       - Say of an error, a None and a zero whether it answers the question that you meant.
#     minutes: {teach: 10, exercise: 15}
#     core: true
#     prerequisites: [backward_first, leaf_or_not, off_the_path]
#     predict:
#       ask: The type of gradient, the .grad of w, and w after the step. What will it print?
#       choices:
#         - text: a tensor, the gradient, and w has moved
#           when: "Tensor | tensor([6., 8.]) | tensor([2.4000, 3.2000])"
#           because: "That is what backward() would do: it fills .grad, and the optimizer reads .grad."
#         - text: a tensor, None, and w stays
#           when: "Tensor | None | tensor([3., 4.])"
#           because: "Nearly. You can ask for several tensors at once, so the answer is a tuple, even for one."
#         - text: a tuple, None, and w stays
#           when: "tuple | None | tensor([3., 4.])"
#           because: "grad() hands you the gradients in a tuple. It fills no .grad, and the optimizer reads .grad."
#         - text: a tuple, the gradient, and w has moved
#           when: "tuple | tensor([6., 8.]) | tensor([2.4000, 3.2000])"
#           because: "It returns the gradient instead of storing it. It does not do both."
#     notes:
#       predict:
#         - "Ask: where does an optimizer look for the gradient? Only then let them choose."
#       run:
#         - "Note: the step that moves nothing is silent. In a real training run it shows as a loss that stays flat."
#       investigate:
#         - "Demo: in the picture, walk from the loss to w. Both calls take this walk; they differ at its end."
#         - "Ask: error, None, zeros. Which of the three is the friendliest answer to a wrong question?"
#       make:
#         - "Ask: how would a bank notice that its explanations change the model? (The loss alone hardly shows it.)"
#         - "Note: for the age, a zero is the right answer. In lesson 05 the zeros belonged to another question."
#     hints:
#       - >-
#         Follow w.grad through one turn of the loop. Which two lines add to it, and which of them should?
#       - >-
#         You want two gradients in your hand and no .grad touched. Then look at the age: score() never reads it. Which
#         number says how far the score moves when the age moves?
#       - >-
#         In place of the second backward(): torch.autograd.grad(score(w, v, applicant), (applicant, age),
#         materialize_grads=True). It returns two tensors in a tuple, one for each list.
# ---

# %% [markdown]
# ## Predict
#
# One step of training, with `torch.autograd.grad` where you would expect `loss.backward()`.

# %% tags=["predict"]
import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w**2).sum()
gradient = torch.autograd.grad(loss, w)
optimizer.step()

# %% [markdown]
# ## Run

# %% tags=["run"]
print(type(gradient).__name__, "|", w.grad, "|", w.detach())

# %% [markdown]
# No error and no warning, and nothing was learned. At least the tuple gives an error as soon as you calculate with it:

# %% tags=["tuple", "raises-exception"]
w.detach() - 0.1 * gradient

# %% [markdown]
# ## Investigate
#
# [graph: predict]
#
# `backward()` and `grad()` take the same walk through this graph. They differ at its end: `backward()` *adds* what it
# finds to the `.grad` of the leaves, `grad()` *hands it to you*, one gradient for each tensor that you named, and
# leaves every `.grad` as it was. An optimizer looks at `.grad` only, so after `grad()` alone it has nothing to do.
#
# If you do want to train with it, put the gradient where the optimizer looks:

# %% tags=["by-hand"]
(w.grad,) = gradient
optimizer.step()
print(w.detach())

# %% [markdown]
# Article A recommends the function with this program, and here its printed result is right:

# %% tags=["article", "claim-A7"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
z = y.mean()
grad_x = torch.autograd.grad(z, x)
print(grad_x)
print("x.grad:", x.grad)

# %% [markdown]
# ### You may ask about any tensor on the path
#
# Intermediate results are allowed as well, without `retain_grad()`, and several tensors in one walk:

# %% tags=["non-leaf"]
y = x * 2  # computed anew: the walk above has freed its graph
z = y.mean()
by_y, by_x = torch.autograd.grad(z, (y, x))
print("y is a leaf:", y.is_leaf, "|", by_y)
print("x is a leaf:", x.is_leaf, "|", by_x)

# %% [markdown]
# Article Q says that `autograd.grad` alone is enough where no parameter is to be updated. With its own model (only
# the state starts at zero here, so that each run prints the same):

# %% tags=["model"]
from torch import nn


class SmallModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm_cell = nn.LSTMCell(input_size=4, hidden_size=16)
        self.fc = nn.Linear(in_features=16, out_features=3)

    def forward(self, features):
        hx = cx = torch.zeros(len(features), 16)
        a_s, c_s = [], []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t, :], (hx, cx))
            a_s.append(torch.relu(self.fc(hx)) * 0.8 + 20)
            c_s.append(a_s[-1] * 2 * 0.9)
        return torch.stack(a_s, dim=1), torch.stack(c_s, dim=1)


torch.manual_seed(0)
model, features, targets = SmallModel(), torch.randn(64, 5, 4), torch.randn(64, 5, 3)
a_s, c_s = model(features)
loss = nn.functional.mse_loss(c_s, targets)

# %% tags=["no-backward", "claim-Q6"]
(grad_c,) = torch.autograd.grad(loss, c_s, retain_graph=True)  # the next cells ask this graph again
print("2 (c - target) / n:", torch.allclose(grad_c, 2 * (c_s - targets) / targets.numel()))
print("parameters with a .grad:", [name for name, p in model.named_parameters() if p.grad is not None])

# %% [markdown]
# ### A tensor beside the path
#
# Method 2 of article Q asks about the stack `a_s`. The loss was computed from the single steps; the stack is a copy
# beside them (lesson 05). `backward()` would be silent here. `grad()` raises an error:

# %% tags=["not-used", "raises-exception", "claim-Q4"]
torch.autograd.grad(loss, a_s, retain_graph=True)

# %% [markdown]
# The message offers `allow_unused=True`. This takes the error away, and nothing else. `materialize_grads=True` takes
# the `None` away as well:

# %% tags=["none-and-zeros", "claim-A8"]
(allowed,) = torch.autograd.grad(loss, a_s, allow_unused=True, retain_graph=True)
(materialized,) = torch.autograd.grad(loss, a_s, materialize_grads=True, retain_graph=True)
print("allow_unused:     ", allowed)
print("materialize_grads:", tuple(materialized.shape), "with the values", materialized.unique().tolist())

# %% [markdown]
# Are these zeros true? Push the copy and see, in a program that is small enough to understand as a whole:

# %% tags=["zero"]
x = torch.tensor(3.0, requires_grad=True)
copy = x.clone()
square = x**2
by_copy, by_x = torch.autograd.grad(square, (copy, x), materialize_grads=True)
print("grad says: copy", by_copy.item(), "| x", by_x.item())
with torch.no_grad():
    for name, tensor in (("copy", copy), ("x", x)):
        tensor += 0.25
        above = x**2
        tensor -= 0.5
        below = x**2
        tensor += 0.25
        print("pushing", name, "moves the result by", ((above - below) / 0.5).item(), "per unit")

# %% [markdown]
# [graph: zero root=square]
#
# Pushing the copy moves nothing, so its derivative *is* 0. The zero is true, and it answers a question that nobody
# meant to ask. So read the error as a question, "did you mean this tensor?", and answer it before you silence it.
# There is one good reason to ask for the zero: you want to show that an input is *not* used.
#
# ## Modify
#
# There is something between the two: `backward(inputs=[...])`. Ask it about `y`, and then about a tensor that the
# loss never used. Whose `.grad` is filled? Does it complain?

# %% tags=["inputs"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
elsewhere = torch.tensor(5.0, requires_grad=True)
y = x * 2
y.mean().backward(inputs=[y, elsewhere])

# %% tags=["inputs-result", "fold-output"]
print("y.grad        ", y.grad)
print("x.grad        ", x.grad)
print("elsewhere.grad", elsewhere.grad)

# %% [markdown]
# It fills the `.grad` of the tensors that you name, leaf or not, and leaves all others alone: `x.grad` is `None`.
# It does not complain about the unused one.
#
# ## Make
#
# A bank explains single scores while its model is being trained, and the explanations leak into the training. Explain
# without touching the parameters' `.grad`, and prove with a number that the age is not used. Then
# `gradclinic check autograd_grad`.
