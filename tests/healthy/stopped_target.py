"""Two views, one of them behind a stop: the network learns from the other."""

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    encoder, predictor = nn.Linear(4, 3), nn.Linear(3, 3)
    one, two = encoder(torch.randn(6, 4)), encoder(torch.randn(6, 4))
    loss = (
        -F.cosine_similarity(predictor(one), two.detach()).mean()
        - F.cosine_similarity(predictor(two), one.detach()).mean()
    )
    loss.backward()
    return [encoder, predictor, encoder.weight], loss
