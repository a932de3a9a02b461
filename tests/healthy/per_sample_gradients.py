"""vmap over grad beside an ordinary backward."""

import torch
from torch import nn
from torch.func import functional_call, grad, vmap


def run():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    values = {name: p.detach() for name, p in net.named_parameters()}

    def one(values, x, y):
        return (functional_call(net, values, (x,)) - y).pow(2).mean()

    each = vmap(grad(one), in_dims=(None, 0, 0))(values, x, y)
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    assert torch.allclose(each["weight"].mean(0), net.weight.grad, atol=1e-5)
    return [net, net.weight], loss
