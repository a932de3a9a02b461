# %% tags=["broken"]
import torch

scores = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
prices = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
choice = scores.argmax()
loss = prices[choice]
loss.backward()
print(scores.grad)

# %% tags=["ask"]
diagnose(scores, loss)

# %% tags=["fixed"]
import torch

scores = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
prices = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
choice = scores.softmax(0)
loss = (choice * prices).sum()
loss.backward()
print(scores.grad)
