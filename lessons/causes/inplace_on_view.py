# %% tags=["broken", "raises-exception"]
import torch

w = torch.ones(2, 3, requires_grad=True)
table = w * 2
for row in table:
    row *= 10
loss = table.sum()
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.ones(2, 3, requires_grad=True)
table = w * 2
for i in range(2):
    table[i] *= 10
loss = table.sum()
loss.backward()
print(w.grad)
