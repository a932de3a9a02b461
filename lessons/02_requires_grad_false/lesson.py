# ---
# jupyter:
#   gradclinic:
#     title: Nobody asked for it
#     id: requires_grad_false
#     question: backward() ran, or it said that nothing requires grad. Did I ask for this gradient, and in time?
#     causes: [requires_grad_false, loss_has_no_graph, loss_patched, flag_too_late, integer_dtype, frozen]
#     claims: [A3, A4]
#     symptoms:
#       - {text: "element 0 of tensors does not require grad and does not have a grad_fn", kind: error, cell: alone}
#       - {text: "Only Tensors of floating point and complex dtype can require gradients", kind: error, cell: integers}
#       - {text: "only Tensors of floating point dtype can require gradients", kind: error, cell: integers-late}
#       - {text: "backward() ran without an error, and one input's .grad is None", kind: silent, cell: run}
#       - {text: "requires_grad_() was called before backward(), and .grad is None", kind: silent, cell: run}
#       - {text: "after loss.requires_grad_() the error is gone, and nothing is trained", kind: silent, cell: patched}
#     objectives:
#       - Say of any tensor whether it asks for a gradient, and since when.
#       - Recognise the silent case, in which another tensor keeps backward() going.
#       - Explain why requires_grad_() on the loss cures nothing.
#     minutes: {teach: 10, exercise: 15}
#     core: true
#     prerequisites: [backward_first]
#     predict:
#       ask: Which of the three have a gradient after backward()?
#       choices:
#         - text: all three
#           when: "True True True"
#           because: "Nobody asked for image. A tensor that you make yourself starts with requires_grad=False."
#         - text: w and noise
#           when: "True False True"
#           because: "noise asked before backward(), but after the addition, which had already read the flag as False."
#         - text: only w
#           when: "True False False"
#           because: "w asked before it was used. image never asked, and noise asked when the sum was already made."
#         - text: none, it stops with an error
#           when: "False False False"
#           because: "backward() needs one tensor that asked, and w did. That is why the other two stay silent."
#     notes:
#       predict: ["Ask: read the program aloud, line by line, and say at each line who has asked so far."]
#       investigate:
#         - "Demo: print(total.requires_grad) in the predict program, before and after noise.requires_grad_()."
#         - "Note: the error names element 0 of tensors. That is the loss. It never names the tensor that is to blame."
#         - "Ask: loss.requires_grad_() makes the error go away. What has changed on the way from the loss to x?"
#       make: ["Note: expect loss.requires_grad_(), which trains nothing, and a thawed reader, which moves the body."]
#     hints:
#       - >-
#         For each gradient that is wanted, find the tensor, and ask two things. Does it require grad? Did it at the
#         moment when the forward pass used it?
#       - >-
#         Whole numbers carry no gradient, so the flag belongs on the pixels after the division, and before the reader
#         sees them. new_head.clone() is a plain tensor, so it starts with False. Leave the loss and the frozen reader
#         as they are.
#       - >-
#         pixels = (photo / 255).requires_grad_() where the pixels are made, and
#         head = new_head.clone().requires_grad_() where the head is made. The late requires_grad_() line goes.
# ---

# %% [markdown]
# ## Predict
#
# An image, some noise on it, and weights. Watch who asks for a gradient, and when.

# %% tags=["predict"]
import torch

image = torch.tensor([0.2, 0.9])
noise = torch.tensor([0.1, 0.3])
w = torch.tensor([1.0, -1.0], requires_grad=True)

total = image + noise
loss = (w * total).sum()
noise.requires_grad_()
loss.backward()

# %% [markdown]
# ## Run

# %% tags=["run"]
print(w.grad is not None, image.grad is not None, noise.grad is not None)

# %% [markdown]
# ## Investigate
#
# [graph: predict]
#
# Each operation looks at the flags of its inputs *while it runs*, and leaves a way back only for those that say True
# at that moment. `image` never asked, and `noise` asked when the addition was over, so the way back from the loss
# leads to `w` and to nobody else. `backward()` does not complain, because there was one tensor to reach.
#
# Which tensors ask by themselves? Article A says that every tensor does:

# %% tags=["defaults", "claim-A3"]
from torch import nn

print("torch.tensor([1.0])      ", torch.tensor([1.0]).requires_grad)
print("torch.randn(1)           ", torch.randn(1).requires_grad)
print("nn.Parameter(tensor)     ", nn.Parameter(torch.tensor([1.0])).requires_grad)
print("a weight of an nn.Linear ", nn.Linear(2, 1).weight.requires_grad)

# %% [markdown]
# Only parameters ask by themselves: that is what makes a layer trainable. Inputs, images, and weights that you make by
# hand do not.
#
# When *nobody* asked, there is no way back at all. Of that case the article says that `backward()` runs and the last
# line prints None:

# %% tags=["alone", "raises-exception", "claim-A4"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=False)
y = x * 2
z = y.mean()
z.backward()
print(x.grad)

# %% [markdown]
# The last line is never reached. The error speaks of "element 0 of tensors", which is `z`. So it looks as if `z` were
# the one to mend:

# %% tags=["patched"]
z.requires_grad_()
z.backward()
torch.optim.SGD([x], lr=1.0).step()
print("x.grad", x.grad, "| z.grad", z.grad, "| x after a step", x)

# %% [markdown]
# The error is gone, and nothing else has changed. `z` is now a leaf of its own, with no way back to anything. The 1 is
# the derivative of `z` with respect to itself. The optimizer went on in silence and moved nothing. The flag belongs on
# `x`, before `x` is used: there, the article's remedy `x.requires_grad_()` is right.
#
# What if `x` holds whole numbers, as a photo does? A gradient says what a small move would do, and a whole number
# cannot make a small move:

# %% tags=["integers", "raises-exception"]
torch.tensor([1, 2, 3], requires_grad=True)

# %% tags=["integers-late", "raises-exception"]
torch.tensor([1, 2, 3]).requires_grad_()

# %% [markdown]
# Make floats of them first. A division does that, and the flag goes on its result:

# %% tags=["floats"]
x = torch.tensor([1, 2, 3]) / 255
x.requires_grad_()
(x * 2).mean().backward()
print(x.dtype, x.grad)

# %% [markdown]
# And a parameter can be switched off: it is *frozen*. You do that with `requires_grad_(False)`, and some functions do
# it for you:

# %% tags=["frozen"]
vectors = nn.Embedding.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
head = nn.Linear(2, 1)
loss = head(vectors(torch.tensor([1]))).sum()
loss.backward()
print("vectors: asks", vectors.weight.requires_grad, "| grad", vectors.weight.grad)
print("head:    asks", head.weight.requires_grad, "| grad", head.weight.grad)

# %% [markdown]
# ## Modify
#
# Back to the first program. Move `noise.requires_grad_()` up, above the addition; leave `image` alone. Which of the
# three have a gradient now?

# %% tags=["modify"]
image = torch.tensor([0.2, 0.9])
noise = torch.tensor([0.1, 0.3])
w = torch.tensor([1.0, -1.0], requires_grad=True)

noise.requires_grad_()
total = image + noise
loss = (w * total).sum()
loss.backward()

# %% tags=["fold-output"]
print(w.grad is not None, image.grad is not None, noise.grad is not None)
print("noise.grad", noise.grad)

# %% [markdown]
# [graph: modify]
#
# ## Make
#
# A reader of road signs. One function wants the gradient of a photo, and asks too late. The other one trains a new head
# on a frozen body, and the head never asks. Repair both: `gradclinic check requires_grad_false`.
