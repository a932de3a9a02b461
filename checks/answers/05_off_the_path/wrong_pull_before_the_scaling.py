# expects: wrong_tensor
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
        a_s, b_s, c_s = [], [], []
        for t in range(features.shape[1]):
            hx, cx = self.lstm_cell(features[:, t], (hx, cx))
            out = torch.relu(self.fc(hx))
            out.retain_grad()
            a = out * 0.8 + 20  # degrees
            b = a * 2  # kilowatts
            b.retain_grad()
            c = b * 0.9  # money
            a_s.append(out)
            b_s.append(b)
            c_s.append(c)
        return torch.stack(a_s, dim=1), torch.stack(b_s, dim=1), torch.stack(c_s, dim=1), a_s, b_s


def train_step(weights, features, targets, lr):
    """One SGD step. features (batch, steps, inputs), targets (batch, steps, outputs); the pulls look like targets."""
    model = Forecast(features.shape[2], targets.shape[2])
    model.load_state_dict(weights)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    a_s, b_s, c_s, a_steps, b_steps = model(features)
    loss = nn.functional.mse_loss(c_s, targets)
    loss.backward()
    optimizer.step()

    return {
        "bill": c_s,
        "pull_on_temperature": torch.stack([s.grad for s in a_steps], dim=1),
        "pull_on_demand": torch.stack([s.grad for s in b_steps], dim=1),
        "weights": model.state_dict(),
    }
