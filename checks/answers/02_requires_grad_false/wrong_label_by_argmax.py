# expects: loss_has_no_graph
# exercise: requires_grad_false
"""A sign reader, attacked and taught.

The reader looks at a photo (whole numbers, 0 black to 255 white) and scores 3 road signs: its body finds 6 features,
its head turns them into scores. `adversarial_image` asks how the loss moves with each pixel, and nudges every pixel the
way that makes the loss grow. `fine_tune` keeps the body and trains a new head for other signs, one step.
Both lose a gradient, one of them without a word.

TODO: repair both. The gradient is on the scale 0 to 1, as `pixels` are; the body must stay exactly as it is.
"""

import torch
from torch import nn


class SignReader(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.body = nn.Linear(64, 6)
        self.head = nn.Linear(6, 3, bias=False)
        self.load_state_dict(weights)

    def features(self, pixels):
        return torch.tanh(self.body(pixels))

    def forward(self, pixels):
        return self.head(self.features(pixels))


def adversarial_image(weights, photo, sign, epsilon):
    """photo (64,) whole numbers, sign a whole number. Returns d loss / d pixels and the nudged pixels."""
    reader = SignReader(weights)
    pixels = (photo / 255).requires_grad_()  # before the forward pass: each operation looks at the flag as it runs
    guess = reader(pixels).argmax()  # <- here
    loss = (guess - sign).float() ** 2
    loss.backward()
    return {"gradient": pixels.grad, "pixels": pixels + epsilon * pixels.grad.sign()}


def fine_tune(weights, photos, signs, new_head, lr):
    """photos (n, 64) whole numbers, signs (n,), new_head (signs, 6). Returns loss, new head and body after one step."""
    reader = SignReader(weights)
    reader.requires_grad_(False)  # what the body has learned must stay
    head = new_head.clone().requires_grad_()  # a plain tensor starts with False
    optimizer = torch.optim.SGD([head], lr=lr)
    scores = reader.features(photos / 255) @ head.T
    loss = nn.functional.cross_entropy(scores, signs)
    loss.backward()
    optimizer.step()
    return {"loss": loss, "head": head, "body": reader.body.state_dict()}
