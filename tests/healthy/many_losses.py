"""Loss functions of every family on one network, added up."""

import torch
import torch.nn.functional as F
from torch import nn


def run():
    torch.manual_seed(0)
    net = nn.Linear(4, 3)
    out, goal = net(torch.randn(6, 4)), torch.randn(6, 3)
    label = torch.randint(0, 3, (6,))
    terms = {
        "cross_entropy": F.cross_entropy(out, label, label_smoothing=0.1, weight=torch.tensor([1.0, 2.0, 3.0])),
        "nll": F.nll_loss(out.log_softmax(1), label),
        "kl": F.kl_div(out.log_softmax(1), goal.softmax(1), reduction="batchmean"),
        "bce": F.binary_cross_entropy(out.sigmoid(), goal.sigmoid()),
        "huber": F.huber_loss(out, goal),
        "smooth_l1": F.smooth_l1_loss(out, goal),
        "l1": F.l1_loss(out, goal),
        "margin": F.multi_margin_loss(out, label),
        "poisson": F.poisson_nll_loss(out, goal.abs()),
        "gaussian": F.gaussian_nll_loss(out, goal, out.exp()),
    }
    loss = sum(terms.values())
    loss.backward()
    log = {name: term.item() for name, term in terms.items()}
    assert len(log) == 10
    return [net, net.weight, net.bias], loss
