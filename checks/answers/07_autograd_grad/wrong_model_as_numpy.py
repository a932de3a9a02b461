# expects: left_torch
# exercise: autograd_grad
"""Why did this applicant get that score?

A bank trains its scoring model in small batches: their gradients add up, then one step follows. After each batch it
explains the score of one applicant: how far does the score move with each entry of the form? And how far with the
age, which the model is not allowed to read? The explanation must prove that with a number.

The entries are explained well, but the training is disturbed by it, and for the age it says None.

TODO: explain without leaving a trace in the training, and give a true number for every age.
"""

import torch
from torch.nn.functional import mse_loss


def score(w, v, form):
    return torch.tanh(form @ w) @ v


def saliency_step(w, v, batches, targets, applicants, ages, lr):
    """w (n, m), v (m,), batches (k, size, n), targets (k, size), applicants (k, n), ages (k,). One SGD step."""
    w, v = w.clone().requires_grad_(), v.clone().requires_grad_()
    optimizer = torch.optim.SGD([w, v], lr=lr)
    saliency, age_saliency = [], []
    for batch, target, applicant, age in zip(batches, targets, applicants, ages):
        loss = mse_loss(score(w, v, batch), target) / len(batches)
        loss.backward()

        applicant, age = applicant.clone().requires_grad_(), age.clone().requires_grad_()
        # grad() hands the gradients over and adds nothing to w.grad and v.grad. The score does not depend on the age:
        # the derivative is truly 0, and materialize_grads gives that number in place of an error.
        pulls = torch.autograd.grad(torch.tensor(score(w, v, applicant).item(), requires_grad=True), (applicant, age), allow_unused=True)  # <- here
        saliency.append(pulls[0])
        age_saliency.append(pulls[1])

    optimizer.step()
    return {"saliency": saliency, "age_saliency": age_saliency, "w_grad": w.grad, "v_grad": v.grad, "w": w, "v": v}
