"""A bag of words with offsets."""

import torch
from torch import nn


def run():
    torch.manual_seed(0)
    bag, head = nn.EmbeddingBag(20, 4, mode="sum"), nn.Linear(4, 1)
    out = head(bag(torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 3])))
    loss = nn.functional.binary_cross_entropy_with_logits(out.squeeze(1), torch.tensor([0.0, 1.0]))
    loss.backward()
    return [bag.weight, bag, head], loss
