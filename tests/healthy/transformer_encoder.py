"""A language model: embedding, positions in a buffer, encoder, head."""

import math

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, vocabulary=20, width=8):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        position = torch.arange(10).unsqueeze(1) * torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        self.register_buffer("positions", torch.cat([position.sin(), position.cos()], 1))
        layer = nn.TransformerEncoderLayer(width, 2, 16, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        x = self.table(tokens) * math.sqrt(8) + self.positions[: tokens.shape[1]]
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.head(self.encoder(x, mask=mask, is_causal=True))


def run():
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters())
    tokens = torch.randint(0, 20, (3, 7))
    loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return [model, model.table.weight, model.encoder.layers[0].self_attn.in_proj_weight], loss, optimizer
