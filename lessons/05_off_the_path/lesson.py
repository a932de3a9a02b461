# ---
# jupyter:
#   gradclinic:
#     title: Off the path
#     id: off_the_path
#     question: I called retain_grad() in time, and .grad is still None. Why?
#     causes: [off_the_path, unused]
#     claims: [Q2, Q3, Q4]
#     symptoms:
#       - text: "retain_grad() came in time, .grad is None, and no warning says why"
#         kind: silent
#         cell: run
#       - text: "appears to not have been used in the graph"
#         kind: error
#         cell: asking-harder
#       - text: "One parameter of the model has .grad None, the others have their gradient"
#         kind: silent
#         cell: spare-layer
#     objectives:
#       - Say of any tensor whether the loss was computed from it or from a relative of it.
#       - Get the gradient of values that were made step by step, in three ways.
#       - Say when the gradient of a stack and the gradients of its steps differ.
#     minutes: {teach: 15, exercise: 20}
#     core: true
#     prerequisites: [leaf_or_not, late_retain_grad]
#     predict:
#       ask: Which of the two has a gradient after backward()?
#       choices:
#         - text: both, w and history
#           when: "True True"
#           because: retain_grad() keeps a gradient that arrives. It cannot make one arrive.
#         - text: only w
#           when: "True False"
#           because: The loss was computed from h. history is a copy beside it, and no gradient comes that way.
#         - text: only history
#           when: "False True"
#           because: backward() reaches every leaf on its way, and w is a leaf that took part in each step.
#         - text: neither
#           when: "False False"
#           because: One backward() on the loss goes back through all three steps and reaches w.
#     notes:
#       predict:
#         - "Ask: who reads history? Search the program for every use of the name."
#         - "Note: take a vote, and let somebody give a reason for each choice before you run it."
#       run:
#         - "Ask: is this None the one of lesson 4, where retain_grad() came too late? How can you tell?"
#       investigate:
#         - "Demo: put a finger on the loss in the picture and walk against the arrows of the computation."
#         - "Ask: if somebody changed a number inside history, would the loss change?"
#         - "Note: zeros from materialize_grads are true. They answer a question that nobody meant to ask."
#       modify:
#         - "Ask: before you unfold it, which entries of the stack's gradient are zero, and why?"
#       make:
#         - "Note: expect allow_unused=True in the first attempts. It hides the message and keeps the None."
#         - "Note: detach().requires_grad_() gives both pulls and stops the training. The last check sees it."
#     hints:
#       - Start at the loss and walk backwards. From which tensors was it computed? Is a_s one of them?
#       - torch.stack makes a new tensor. Either the loss has to be computed from the stacks, or you have to keep the
#         tensors of the single steps and ask those.
#       - "In forward, after the loop that collects a: a_s = torch.stack(a_s, dim=1), then b_s = a_s * 2, then
#         c_s = b_s * 0.9. Return these three."
# ---

# %% [markdown]
# ## Predict
#
# A tiny network with one weight and a memory runs three steps. We collect its states, because we want to look at their
# gradients afterwards. `retain_grad()` comes before `backward()`, as it should.

# %% tags=["predict"]
import torch

w = torch.tensor(0.5, requires_grad=True)
h, steps = torch.tensor(1.0), []
for _ in range(3):
    h = torch.tanh(w * h)
    steps.append(h)
history = torch.stack(steps)
history.retain_grad()

loss = (h - 1) ** 2
loss.backward()

# %% [markdown]
# ## Run

# %% tags=["run"]
print(w.grad is not None, history.grad is not None)

# %% [markdown]
# There is no error and no warning. If we ask `autograd.grad` for the same gradient, it answers with an error:

# %% tags=["asking-harder", "raises-exception"]
loss = (h - 1) ** 2
torch.autograd.grad(loss, history)

# %% [markdown]
# ## Investigate
#
# [graph: predict]
#
# Walk from the loss backwards: you meet the last `h`, the state before it, the first state, and `w`. You never meet
# `history`. It was made *from* tensors on this path, but nothing on the path was made from *it*: it is a copy beside
# the path.
#
# A gradient tells how the loss moves when a tensor moves. Does the loss move when `history` moves?

# %% tags=["nobody-reads-it"]
with torch.no_grad():
    before = ((h - 1) ** 2).item()
    history.add_(100)
    after = ((h - 1) ** 2).item()
print("history moved by 100, the loss moved by", after - before)

# %% [markdown]
# ### The same gap at a leaf
#
# The same happens to a layer that the forward pass never calls. Nothing is cut here: the loss simply does not depend on
# the layer. The catalogue of causes calls this one `unused`, and keeps `off_the_path` for copies such as `history`.

# %% tags=["spare-layer"]
from torch import nn

torch.manual_seed(0)
layers = nn.ModuleDict({"used": nn.Linear(2, 1), "spare": nn.Linear(2, 1)})
layers["used"](torch.ones(1, 2)).sum().backward()
for name, parameter in layers.named_parameters():
    print(f"{name:12}", parameter.grad)

# %% [markdown]
# ### The article's model
#
# Article Q meets the gap in a bigger program. An LSTM runs over some time steps. In each step it computes `a`, from `a`
# it computes `b = 2a`, and from `b` it computes `c = 0.9b`. All three are collected, and stacked at the end. The loss
# is computed from the stack of `c`. This is its model:


# %% tags=["article-model"]
class ArticleModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm_cell = nn.LSTMCell(4, 16)
        self.fc = nn.Linear(16, 3)

    def forward(self, features):
        hx, cx = torch.randn(64, 16), torch.randn(64, 16)
        a_s, b_s, c_s = [], [], []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t, :], (hx, cx))
            a = torch.relu(self.fc(hx)) * 0.8 + 20
            b = a * 2
            c = b * 0.9
            a_s.append(a)
            b_s.append(b)
            c_s.append(c)
        return torch.stack(a_s, dim=1), torch.stack(b_s, dim=1), torch.stack(c_s, dim=1)


torch.manual_seed(0)
features, targets = torch.randn(64, 5, 4), torch.randn(64, 5, 3)
model = ArticleModel()

# %% [markdown]
# The article explains the None by the moment: outside of the model, on the tensors that it returned, `retain_grad()`
# would come too late. If that is so, it is too late for `c_s` as well. We call it there, on all three:

# %% tags=["outside-the-model", "claim-Q2"]
a_s, b_s, c_s = model(features)
for stack in (a_s, b_s, c_s):
    stack.retain_grad()
nn.functional.mse_loss(c_s, targets).backward()


def came_out(grad):
    return None if grad is None else tuple(grad.shape)


print("a_s.grad", came_out(a_s.grad), "| b_s.grad", came_out(b_s.grad), "| c_s.grad", came_out(c_s.grad))

# %% [markdown]
# The call came early enough for `c_s`, so the moment does not explain the other two. The article's first method is to
# call `retain_grad()` inside of `forward`, right after stacking:


# %% tags=["method-1", "claim-Q3"]
class RetainsInside(ArticleModel):
    def forward(self, features):
        a_s, b_s, c_s = super().forward(features)
        a_s.retain_grad()
        b_s.retain_grad()
        c_s.retain_grad()
        return a_s, b_s, c_s


a_s, b_s, c_s = RetainsInside()(features)
loss = nn.functional.mse_loss(c_s, targets)
loss.backward(retain_graph=True)
print("a_s.grad", came_out(a_s.grad), "| b_s.grad", came_out(b_s.grad), "| c_s.grad", came_out(c_s.grad))

# %% [markdown]
# Its second method asks `autograd.grad` after `backward(retain_graph=True)`:

# %% tags=["method-2", "claim-Q4", "raises-exception"]
grad_a = torch.autograd.grad(loss, a_s, retain_graph=True)[0]
grad_b = torch.autograd.grad(loss, b_s)[0]

# %% [markdown]
# Two arguments make the message go away. Neither makes a gradient come:

# %% tags=["message-silenced"]
print("allow_unused=True      gives", torch.autograd.grad(loss, a_s, allow_unused=True, retain_graph=True)[0])
zeros = torch.autograd.grad(loss, a_s, materialize_grads=True)[0]
print("materialize_grads=True gives", tuple(zeros.shape), "with the values", zeros.unique())

# %% [markdown]
# The zeros are true: when the copy `a_s` moves, the loss does not. They are the right answer to the wrong question.
#
# The model has one more fault. Its first state is random, and it always has 64 rows, however many the features have. So
# two passes over the same features differ, and a batch of another size is refused:

# %% tags=["random-state"]
first, second = model(features)[2], model(features)[2]
print("same features, same forecast:", torch.equal(first, second))

# %% tags=["other-batch", "raises-exception"]
model(features[:32])

# %% [markdown]
# ### Three ways that work
#
# From here on the state starts at zero, and has as many rows as the batch. There is a formula for what should come out.
# Let `G` be the gradient of the loss with respect to `c`. The chain rule gives `0.9 G` for `b`, and twice as much,
# `1.8 G`, for `a`. For a mean of squares `G` is `2 (c - targets) / n`, where `n` counts the numbers in `c`.


# %% tags=["closed-form"]
def temperatures(features):
    """The a of each step, in a list."""
    hx = cx = torch.zeros(len(features), 16)
    a_steps = []
    for t in range(features.shape[1]):
        hx, cx = model.lstm_cell(features[:, t], (hx, cx))
        a_steps.append(torch.relu(model.fc(hx)) * 0.8 + 20)
    return a_steps


def compare(pull_a, pull_b, c_s):
    G = 2 * (c_s - targets) / targets.numel()
    right = torch.allclose(pull_a, 1.8 * G), torch.allclose(pull_b, 0.9 * G)
    print("shape", tuple(pull_a.shape), "| dL/da = 1.8 G:", right[0], "| dL/db = 0.9 G:", right[1])


# %% [markdown]
# **Stack first.** The rest is computed from the stacks, so the loss goes through them:

# %% tags=["stack-first"]
a_s = torch.stack(temperatures(features), dim=1)
b_s = a_s * 2
c_s = b_s * 0.9
a_s.retain_grad()
b_s.retain_grad()
nn.functional.mse_loss(c_s, targets).backward()
compare(a_s.grad, b_s.grad, c_s)

# %% [markdown]
# **Retain each step.** The tensors of the single steps are on the path. They keep their gradients, and we stack those:

# %% tags=["retain-each-step"]
a_steps = temperatures(features)
b_steps = [a * 2 for a in a_steps]
c_s = torch.stack([b * 0.9 for b in b_steps], dim=1)
for step in a_steps + b_steps:
    step.retain_grad()
nn.functional.mse_loss(c_s, targets).backward()
compare(torch.stack([a.grad for a in a_steps], dim=1), torch.stack([b.grad for b in b_steps], dim=1), c_s)

# %% [markdown]
# **Ask for the list.** `autograd.grad` takes a list of tensors and gives one gradient for each:

# %% tags=["ask-for-the-list"]
a_steps = temperatures(features)
b_steps = [a * 2 for a in a_steps]
c_s = torch.stack([b * 0.9 for b in b_steps], dim=1)
grads = torch.autograd.grad(nn.functional.mse_loss(c_s, targets), a_steps + b_steps)
compare(torch.stack(grads[:5], dim=1), torch.stack(grads[5:], dim=1), c_s)

# %% [markdown]
# ## Modify
#
# Back to the tiny network. Now let the loss read the last entry of `history`, so that `history` is on the path. Retain
# each state as well. Will the stack and the states report the same numbers?

# %% tags=["modify"]
h, steps = torch.tensor(1.0), []
for _ in range(3):
    h = torch.tanh(w * h)
    h.retain_grad()
    steps.append(h)
history = torch.stack(steps)
history.retain_grad()
loss = (history[-1] - 1) ** 2
loss.backward()

# %% tags=["stack-and-steps", "fold-output"]
print("the stack :", history.grad)
print("the states:", torch.stack([step.grad for step in steps]))

# %% [markdown]
# [graph: modify]
#
# Both are true, and they differ. The gradient of the stack says how the loss moves when an entry *of the stack* moves:
# only the last entry counts. The gradient of a state also holds what comes back through the later states, which were
# computed from it. In the article's model the two agree, because its `a`, `b` and `c` feed no later step.

# %% [markdown]
# ## Make
#
# The exercise is the article's model inside a training step. The step reports two gradients, and both are None. Make
# them true for every hour, in whichever way you like, and keep the training as it is. `gradclinic check off_the_path`
# tells you how far you are.
