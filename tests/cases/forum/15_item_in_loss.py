"""15 item_in_loss

Source: https://discuss.pytorch.org/t/grad-is-none-autograd-through-list-of-variables-multigpu-transformer/26372 ; (public thread)
Category: B cut: Python number
Symptom: float has no backward / element 0 of tensors does not require grad after summing l.item()
    values.
Common wrong advice: Wrap it: torch.tensor(total, requires_grad=True). One page even proposes .item() to
    get one element's gradient.
Root cause: .item()/float() give a Python number with no history. Accumulate tensors; use .item() only for
    logging.
"""
import torch

from _obs import attempt, show

def broken():
    w = torch.tensor(3.0, requires_grad=True)
    total = sum((w * k).item() for k in (1, 2))
    plain = attempt(lambda: total.backward())
    torch.tensor(total, requires_grad=True).backward()
    return show({"plain": plain, "rewrapped_w.grad": w.grad})


def fixed():
    w = torch.tensor(3.0, requires_grad=True)
    total = sum(w * k for k in (1, 2))
    total.backward()
    return show({"w.grad": w.grad, "log": total.item()})

TRUTH = {'broken': {'plain': "AttributeError: 'float' object has no attribute 'backward'",
            'rewrapped_w.grad': 'None'},
 'fixed': {'log': 9.0, 'w.grad': 3.0}}


if __name__ == "__main__":
    got = {"broken": broken(), "fixed": fixed()}
    assert got == TRUTH, got
    print("ok", __file__)
