# expects: not_a_leaf, off_the_path
# exercise: off_the_path
"""Which hour does the loss pull on?

An LSTM forecasts the temperature of some buildings (a), from it their heat demand (b), and from that the bill (c).
`train_step` takes one training step on the bill. It also reports how strongly the loss pulls on every temperature
and on every demand. The report says None, although retain_grad() came in time.

TODO: make the two pulls true, for every building and every hour. The forecast and the training stay as they are.
"""

import torch
from torch import nn

HIDDEN = 16


class Forecast(nn.Module):
    def __init__(self, n_features, n_outputs):
        super().__init__()
        self.lstm_cell = nn.LSTMCell(n_features, HIDDEN)
        self.fc = nn.Linear(HIDDEN, n_outputs)

    def forward(self, features):
        hx = cx = torch.zeros(len(features), HIDDEN)
        a_s = []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t], (hx, cx))
            out = torch.relu(self.fc(hx))
            a = out * 0.8 + 20  # degrees
            a_s.append(a)
        # Stacked before it is used: the bill, and with it the loss, is computed from these very tensors.
        a_s = torch.stack(a_s, dim=1)
        b_s = a_s * 2  # kilowatts
        c_s = b_s * 0.9  # money
        return a_s, b_s, c_s


def train_step(weights, features, targets, lr):
    """One SGD step. features (batch, steps, inputs), targets (batch, steps, outputs); the pulls look like targets."""
    model = Forecast(features.shape[2], targets.shape[2])
    model.load_state_dict(weights)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    a_s, b_s, c_s = model(features)
    a_s.retain_grad()
    b_s.retain_grad()
    loss = nn.functional.mse_loss(c_s, targets)
    loss.backward()
    optimizer.step()

    return {
        "bill": c_s,
        "pull_on_temperature": a_s.grad,
        "pull_on_demand": b_s[:].grad,  # <- here
        "weights": model.state_dict(),
    }
