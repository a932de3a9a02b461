"""More broken programs: each function loses a gradient in one way, and says in a comment which and where.

`# <- cause` stands on the line that must be named (`# <- cause in name` where another function holds it; on two lines
where either will do), `# <- cause, no line` on the `def` where there is none to name, and `, open` is added where even
a trace cannot see it. A function returns (target, loss) or (target, loss, optimizer), or raises the error that is to be explained.
"""

# mypy: ignore-errors
import copy
import math
import threading

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x).relu()
            if i == 1:
                x = x.detach()  # <- detached in detach_deep_in_a_module
        return x


def detach_deep_in_a_module():
    net, head = Encoder(), nn.Linear(4, 1)
    loss = head(net(torch.randn(3, 4))).mean()
    loss.backward()
    return net.layers[0].weight, loss


def detach_through_a_list():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    kept = []
    for x in torch.randn(4, 3):
        kept.append(net(x).detach())  # <- detached
    loss = head(torch.stack(kept)).sum()
    loss.backward()
    return net.weight, loss


def detach_in_place():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    h = net(torch.randn(4, 3)).tanh()
    h.detach_()  # <- detached
    loss = head(h).sum()
    loss.backward()
    return net.weight, loss


def data_of_an_output():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    loss = head(net(torch.randn(4, 3)).data * 2).sum()  # <- detached
    loss.backward()
    return net.weight, loss


def data_assignment():
    w, b = nn.Parameter(torch.randn(3)), nn.Parameter(torch.zeros(3))
    b.data = w * 2  # <- detached
    loss = (b * 3).sum()
    loss.backward()
    return w, loss


def half_of_it_is_cut():
    net, a, b = nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(3, 1)
    shared = net(torch.randn(4, 3))
    frozen = shared.detach()  # <- detached
    loss = a(frozen).sum() + b(frozen).sum()
    loss.backward()
    print("value", shared.mean().item(), file=open("/dev/null", "w"))
    return net.weight, loss


def lstm_state_cut_each_step():
    cell, start = nn.LSTMCell(2, 3), nn.Parameter(torch.zeros(1, 3))
    h, c = start * 1, torch.zeros(1, 3)
    for x in torch.randn(4, 1, 2):
        h, c = cell(x, (h.detach(), c.detach()))  # <- detached
    loss = h.sum()
    loss.backward()
    return start, loss


def numpy_in_the_middle():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    h = net(torch.randn(4, 3)).detach().numpy()  # <- left_torch
    h = np.maximum(h, 0)
    loss = head(torch.from_numpy(h)).sum()
    loss.backward()
    return net.weight, loss


def tolist_and_back():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    rows = net(torch.randn(4, 3)).tolist()  # <- left_torch
    loss = head(torch.tensor([[a, abs(b)] for a, b in rows])).sum()
    loss.backward()
    return net.weight, loss


def item_as_a_factor():
    scale, w = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.randn(3))
    factor = scale.item()  # <- left_torch
    loss = (w * factor).sum()
    loss.backward()
    return scale, loss


def math_function_of_a_parameter():
    scale, w = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.randn(3))
    loss = (w * math.exp(scale)).sum()  # <- left_torch
    loss.backward()
    return scale, loss


def losses_added_as_numbers():
    net = nn.Linear(3, 1)
    total = 0.0
    for x in torch.randn(4, 3):
        total += net(x).pow(2).item()  # <- left_torch
    loss = torch.tensor(total, requires_grad=True)
    loss.backward()
    return net.weight, loss


def filled_with_numbers():
    net = nn.Linear(3, 1)
    out = torch.zeros(4)
    for i, x in enumerate(torch.randn(4, 3)):
        out[i] = float(net(x))  # <- left_torch
    loss = out.sum().requires_grad_()
    loss.backward()
    return net.weight, loss


def new_tensor_from_a_tensor():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    h = torch.tensor(net(torch.randn(4, 3)))  # <- rewrapped
    loss = head(h).sum()
    loss.backward()
    return net.weight, loss


def list_of_tensors_to_a_tensor():
    net, head = nn.Linear(3, 1), nn.Linear(4, 1)
    scores = [net(x)[0] for x in torch.randn(4, 3)]
    loss = head(torch.tensor(scores)).sum()  # <- rewrapped
    loss.backward()
    return net.weight, loss


def parameter_around_a_result():
    maker = nn.Linear(2, 6)
    layer = nn.Linear(3, 2)
    layer.weight = nn.Parameter(maker(torch.ones(2)).view(2, 3))  # <- rewrapped
    loss = layer(torch.randn(4, 3)).pow(2).sum()
    loss.backward()
    return maker.weight, loss


def copied_model():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    twin = copy.deepcopy(net)  # <- rewrapped
    loss = twin(torch.randn(4, 3)).sum()
    loss.backward()
    return net[0].weight, loss


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)

    def forward(self, x):
        with torch.no_grad():
            return self.body(x).relu()  # <- grad_mode_off in no_grad_in_forward


def no_grad_in_forward():
    net = nn.Sequential(Backbone(), nn.Linear(4, 1))
    loss = net(torch.randn(2, 3)).sum()
    loss.backward()
    return net[0].body.weight, loss


@torch.no_grad()
def features(net, x):
    return net(x).relu()  # <- grad_mode_off in no_grad_by_decorator


def no_grad_by_decorator():
    net, head = nn.Linear(3, 4), nn.Linear(4, 1)
    loss = head(features(net, torch.randn(2, 3))).sum()
    loss.backward()
    return net.weight, loss


def inference_mode_features():
    net, shift = nn.Linear(3, 1), nn.Parameter(torch.zeros(1))
    with torch.inference_mode():
        h = net(torch.randn(2, 3))  # <- grad_mode_off
    loss = (h + shift).sum()
    loss.backward()
    return net.weight, loss


def mode_left_off():
    net = nn.Linear(3, 1)
    torch.set_grad_enabled(False)
    before = net(torch.randn(2, 3))  # <- grad_mode_off
    torch.set_grad_enabled(True)
    loss = (before + nn.Parameter(torch.zeros(1))).sum()
    loss.backward()
    return net.weight, loss


def sampled_not_resampled():
    mean = nn.Parameter(torch.zeros(3))
    net = nn.Linear(3, 1)
    z = torch.distributions.Normal(mean, 1.0).sample()  # <- grad_mode_off
    loss = net(z).sum()
    loss.backward()
    return mean, loss


def argmax_then_embedding():
    first, table, head = nn.Linear(3, 5), nn.Embedding(5, 4), nn.Linear(4, 1)
    choice = first(torch.randn(6, 3)).argmax(1)  # <- not_differentiable
    loss = head(table(choice)).sum()
    loss.backward()
    return first.weight, loss


def threshold_mask():
    gate, w = nn.Parameter(torch.tensor([0.2, -0.3])), nn.Parameter(torch.ones(2))
    mask = (gate > 0).float()  # <- not_differentiable
    loss = (mask * w).sum()
    loss.backward()
    return gate, loss


def cast_to_integers():
    size, w = nn.Parameter(torch.tensor(2.4)), nn.Parameter(torch.ones(5))
    loss = w[: int(size)].sum()  # <- left_torch
    loss.backward()
    return size, loss


def long_and_back():
    a, w = nn.Parameter(torch.rand(3)), nn.Parameter(torch.ones(3))
    steps = a.long().float()  # <- not_differentiable
    loss = (steps * w).sum()
    loss.backward()
    return a, loss


def unused_branch():
    left, right = nn.Linear(3, 1), nn.Linear(3, 1)  # <- unused
    loss = left(torch.randn(4, 3)).sum()
    loss.backward()
    return right.weight, loss


def unused_but_printed():
    left = nn.Linear(3, 1)
    right = nn.Linear(3, 1)  # <- unused
    x = torch.randn(4, 3)
    seen = right(x).mean().item()
    loss = left(x).sum()
    loss.backward()
    assert seen == seen
    return right.weight, loss


def unused_but_evaluated():
    left = nn.Linear(3, 1)
    right = nn.Linear(3, 1)  # <- unused
    x = torch.randn(4, 3)
    with torch.no_grad():
        right(x)
    right(x).argmax()
    loss = left(x).sum()
    loss.backward()
    return right.weight, loss


def moved_leaf():
    w = torch.randn(3, requires_grad=True).double()  # <- shadowed_leaf
    loss = (w * 2).sum()
    loss.backward()
    return w, loss


def scaled_leaf():
    w = torch.randn(3, requires_grad=True)
    w = w / w.norm()  # <- shadowed_leaf
    loss = w.pow(3).sum()
    loss.backward()
    return w, loss


def intermediate_asked():
    net = nn.Linear(3, 2)
    hidden = net(torch.randn(4, 3))  # <- not_a_leaf
    loss = hidden.pow(2).sum()
    loss.backward()
    return hidden, loss


def collected_beside():
    cell, h, states = nn.RNNCell(1, 2), torch.zeros(1, 2), []
    for _ in range(3):
        h = cell(torch.ones(1, 1), h)
        states.append(h)
    history = torch.cat(states)  # <- off_the_path
    history.retain_grad()
    loss = h.sum()
    loss.backward()
    return history, loss


def clone_asked():
    w = torch.randn(3, requires_grad=True)
    y = w * 2
    copied = y.clone()  # <- off_the_path
    copied.retain_grad()
    loss = y.sum()
    loss.backward()
    return copied, loss


def late_retain():
    net = nn.Linear(3, 2)
    hidden = net(torch.randn(4, 3))
    loss = hidden.pow(2).sum()
    loss.backward()
    hidden.retain_grad()  # <- retained_late
    return hidden, loss


def frozen_layer():
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    for p in net[0].parameters():
        p.requires_grad = False  # <- frozen
    loss = net(torch.randn(2, 3)).sum()
    loss.backward()
    return net[0].weight, loss


def plain_input():
    x = torch.randn(2, 3)  # <- requires_grad_false
    net = nn.Linear(3, 1)
    loss = net(x).sum()
    loss.backward()
    return x, loss


def switched_on_late():
    x = torch.randn(2, 3)
    net = nn.Linear(3, 1)
    loss = net(x).sum()
    x.requires_grad = True  # <- flag_too_late
    loss.backward()
    return x, loss


def cleared_at_the_end():
    net = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(2):
        loss = net(torch.randn(2, 3)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()  # <- grad_cleared
    return net.weight, loss


def taken_by_autograd_grad():
    net = nn.Linear(3, 1)
    loss = net(torch.randn(2, 3)).sum()
    torch.autograd.grad(loss, list(net.parameters()))  # <- functional_grad
    return net.weight, loss


def inputs_of_backward():
    net = nn.Linear(3, 1)
    loss = net(torch.randn(2, 3)).sum()
    loss.backward(inputs=[net.bias])  # <- functional_grad
    return net.weight, loss


def never_called():  # <- no_backward, no line
    net = nn.Linear(3, 1)
    loss = net(torch.randn(2, 3)).sum()
    return net.weight, loss


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(w)
        return x * w

    @staticmethod
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return grad * w, None


def function_returns_none():
    x, w = nn.Parameter(torch.randn(3)), nn.Parameter(torch.randn(3))
    loss = Halved.apply(x, w).sum()  # <- backward_returned_none
    loss.backward()
    return w, loss


def loss_made_a_leaf():
    net = nn.Linear(3, 1)
    with torch.no_grad():
        loss = net(torch.randn(2, 3)).sum()  # <- grad_mode_off
    loss.requires_grad = True
    loss.backward()
    return net.weight, loss


def checkpoint_without_inputs():
    block, head = nn.Linear(3, 4), nn.Linear(4, 1)
    h = checkpoint(block, torch.randn(2, 3), use_reentrant=True)  # <- checkpoint_cut
    loss = head(h).sum()
    loss.backward()
    return block.weight, loss


def detach_inside_a_reentrant_checkpoint():
    a, b = nn.Linear(3, 3), nn.Linear(3, 3)

    def block(x):
        return b(a(x).detach())  # <- detached

    loss = checkpoint(block, torch.randn(2, 3, requires_grad=True), use_reentrant=True).sum()
    loss.backward()
    return a.weight, loss


def detach_inside_a_modern_checkpoint():
    a, b = nn.Linear(3, 3), nn.Linear(3, 3)

    def block(x):
        return b(a(x).detach())  # <- detached

    loss = checkpoint(block, torch.randn(2, 3), use_reentrant=False).sum()
    loss.backward()
    return a.weight, loss


def cut_in_autocast():
    net, head = nn.Linear(3, 4), nn.Linear(4, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = net(torch.randn(2, 3)).float().detach()  # <- detached
        loss = head(h).sum()
    loss.backward()
    return net.weight, loss


def cut_in_a_closure():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    optimizer = torch.optim.LBFGS([*net.parameters(), *head.parameters()], max_iter=2)
    kept = []

    def closure():
        optimizer.zero_grad()
        loss = head(net(torch.ones(2, 3)).detach()).pow(2).sum()  # <- detached
        loss.backward()
        kept.append(loss)
        return loss

    optimizer.step(closure)
    return net.weight, kept[-1]


def cut_after_many_steps():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
    for _ in range(20):
        loss = head(net(torch.randn(2, 3)).detach()).pow(2).sum()  # <- detached
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net.weight, loss


def written_into_a_buffer_of_numbers():
    net = nn.Linear(3, 1)
    out = torch.zeros(4, 1)
    with torch.no_grad():
        out[:] = net(torch.randn(4, 3))  # <- grad_mode_off
    loss = (out * nn.Parameter(torch.ones(1))).sum()
    loss.backward()
    return net.weight, loss


def rounded():
    w = nn.Parameter(torch.rand(3) * 5)
    loss = (torch.round(w) * torch.ones(3)).sum()  # <- zero_derivative
    loss.backward()
    return w, loss


def signed():
    net = nn.Linear(3, 1)
    loss = net(torch.randn(2, 3)).sign().sum()  # <- zero_derivative
    loss.backward()
    return net.weight, loss


def forgot_to_clear():
    w = nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        loss = (w * 2).sum()
        loss.backward()  # <- accumulated
        optimizer.step()
    return w, loss


def broadcast_in_a_subtraction():
    net = nn.Linear(3, 1)
    x, y = torch.randn(8, 3), torch.randn(8)
    loss = (net(x) - y).pow(2).mean()  # <- broadcast_target
    loss.backward()
    return net.weight, loss


def layers_in_a_dict():  # <- unregistered_parameter, no line
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = {"a": nn.Linear(3, 1)}
            self.body = nn.Linear(3, 3)

    net = Net()
    loss = net.heads["a"](net.body(torch.randn(2, 3))).sum()
    loss.backward()
    return net, loss


def optimizer_of_the_old_head():  # <- stale_optimizer, no line
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net[1] = nn.Linear(4, 3)
    loss = net(torch.randn(2, 3)).sum()
    loss.backward()
    optimizer.step()
    return net, loss, optimizer


def whole_model_cut_inside():
    net = nn.Sequential(nn.Linear(3, 4), Backbone2(), nn.Linear(4, 1))
    loss = net(torch.randn(2, 3)).sum()
    loss.backward()
    return net, loss


class Backbone2(nn.Module):
    def forward(self, x):
        return x.detach() * 2  # <- detached in whole_model_cut_inside


def error_no_graph():
    net = nn.Linear(3, 2)
    guess = net(torch.randn(4, 3)).argmax(1).float()  # <- not_differentiable
    F.mse_loss(guess, torch.ones(4)).backward()


def error_no_graph_no_grad():
    net = nn.Linear(3, 2)
    with torch.no_grad():
        loss = net(torch.randn(4, 3)).sum()  # <- grad_mode_off
    loss.backward()


def error_backward_twice():
    net = nn.Linear(3, 1)
    loss = net(torch.randn(2, 3)).pow(2).sum()
    loss.backward()  # <- graph_freed
    loss.backward()  # <- graph_freed


def error_carried_state():
    lstm, state = nn.LSTM(2, 3), None
    for x in torch.randn(2, 5, 1, 2):
        out, state = lstm(x, state)
        out.sum().backward()  # <- graph_freed


def error_in_place_on_exp():
    x = nn.Parameter(torch.randn(3))
    y = x.exp()
    y += 1  # <- inplace_on_saved
    y.sum().backward()


def error_step_between():
    a, b = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
    h = a(torch.randn(3, 2)).tanh()
    first, second = b(h).sum(), b(h).pow(2).sum()
    first.backward(retain_graph=True)
    optimizer.step()  # <- inplace_on_saved
    second.backward()


def error_in_place_on_a_leaf():
    w = torch.zeros(3, requires_grad=True)
    w += 1  # <- inplace_on_leaf


def error_in_place_on_a_view():
    x = torch.ones(2, 2, requires_grad=True) * 1
    first, second = x.unbind(0)
    first.mul_(2)  # <- inplace_on_view


def error_vector_loss():
    net = nn.Linear(3, 1)
    net(torch.randn(4, 3)).pow(2).backward()  # <- non_scalar_loss


def error_integer_leaf():
    torch.arange(3).requires_grad_()  # <- integer_dtype


def error_inference_tensor():
    with torch.inference_mode():
        scale = torch.ones(3) * 2  # <- inference_tensor
    (nn.Parameter(torch.ones(3)) * scale).sum().backward()  # <- inference_tensor


def error_penalty_without_graph():
    net = nn.Linear(2, 1)
    x = torch.ones(1, 2, requires_grad=True)
    (slope,) = torch.autograd.grad(net(x).pow(2).sum(), x)  # <- no_create_graph
    slope.pow(2).sum().backward()


def error_numpy_of_tracked():
    net = nn.Linear(2, 1)
    np.exp(net(torch.ones(1, 2)))  # <- left_torch


def cut_in_a_thread():  # <- detached, no line, open
    net, head, out = nn.Linear(3, 2), nn.Linear(2, 1), {}
    worker = threading.Thread(target=lambda: out.update(h=net(torch.ones(1, 3)).detach()))
    worker.start()
    worker.join()
    loss = head(out["h"]).sum()
    loss.backward()
    return net.weight, loss


@torch.jit.script
def scripted_cut(x: torch.Tensor) -> torch.Tensor:
    return x.detach() * 2


def cut_in_a_script():  # <- detached, no line, open
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    loss = head(scripted_cut(net(torch.ones(1, 3)))).sum()
    loss.backward()
    return net.weight, loss


SETTINGS = {"scale": 0.7}


def unused_but_logged_beside_numbers():
    left = nn.Linear(3, 1)
    right = nn.Linear(3, 1)  # <- unused
    x = torch.randn(4, 3)
    seen = right(x).mean().item()
    loss = 0.5 * left(x).pow(2).sum() / len(x) * SETTINGS["scale"] + 1e-3
    loss.backward()
    assert seen == seen
    return right.weight, loss


def several_parameters_at_once():
    net = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3), "c": nn.Linear(3, 1)})
    h = net["b"](net["a"](torch.randn(2, 3)))
    loss = net["c"](h.data).sum()  # <- detached
    loss.backward()
    return net, loss


def weight_assigned_under_no_grad():
    w, scale = nn.Parameter(torch.ones(3)), nn.Parameter(torch.tensor(2.0))
    with torch.no_grad():
        w.copy_(w * scale)  # <- grad_mode_off
    loss = w.pow(2).sum()
    loss.backward()
    return scale, loss


def detached_in_a_comprehension():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    outs = [net(x).detach() for x in torch.randn(4, 3)]  # <- detached
    loss = sum(head(out) for out in outs).sum()
    loss.backward()
    return net.weight, loss


def rounded_in_the_middle_of_a_model():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
    head = nn.Linear(4, 1)
    levels = torch.floor(net(torch.randn(6, 3)) * 4) / 4  # <- zero_derivative
    loss = head(levels).pow(2).mean()
    loss.backward()
    return net[0].weight, loss


def indexed_by_a_learned_position():
    table, where = nn.Parameter(torch.randn(5)), nn.Parameter(torch.tensor([1.2, 3.9]))
    loss = table[where.round().long()].sum()  # <- not_differentiable
    loss.backward()
    return where, loss


def one_hot_of_a_choice():
    net, head = nn.Linear(3, 4), nn.Linear(4, 1)
    choice = F.one_hot(net(torch.randn(5, 3)).argmax(1), 4).float()  # <- not_differentiable
    loss = head(choice).sum()
    loss.backward()
    return net.weight, loss


def numpy_function_on_the_way():
    net, head = nn.Linear(3, 2), nn.Linear(2, 1)
    h = net(torch.randn(4, 3))
    smooth = np.tanh(h.detach().cpu().numpy())  # <- left_torch
    h = torch.as_tensor(smooth, dtype=torch.float32)
    loss = head(h).sum()
    loss.backward()
    return net.weight, loss


def state_dict_as_weights():
    maker, layer = nn.Linear(3, 3), nn.Linear(3, 3)
    layer.load_state_dict(maker.state_dict())  # <- detached
    loss = layer(torch.randn(2, 3)).sum()
    loss.backward()
    return maker.weight, loss


def unused_logged_then_a_target():
    left = nn.Linear(3, 1)
    right = nn.Linear(3, 1)  # <- unused
    x = torch.randn(4, 3)
    print(right(x).mean().item(), file=open("/dev/null", "w"))
    y = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    loss = F.mse_loss(left(x), y)
    loss.backward()
    return right.weight, loss


def unused_with_a_list_of_numbers():
    left = nn.Linear(3, 1)
    right = nn.Linear(3, 1)  # <- unused
    x, seen = torch.randn(4, 3), []
    for _ in range(3):
        seen.append(right(x).mean().item())
        steps = torch.arange(4).float()
        loss = (left(x).squeeze(1) * steps).mean()
        loss.backward()
    return right.weight, loss


def perturbed_input_takes_the_name():
    net = nn.Linear(6, 3)
    x, y = torch.rand(2, 6), torch.tensor([1, 2])
    other = x.clone().requires_grad_()
    other = other + 0.01 * torch.randn_like(other)  # <- shadowed_leaf
    loss = F.cross_entropy(net(other), y)
    loss.backward()
    return other, loss


def switched_on_and_moved():
    w = torch.rand(3)
    w.requires_grad = True
    w = w.to(torch.float64)  # <- shadowed_leaf
    loss = (w * 2).sum()
    loss.backward()
    return w, loss


def number_derived_by_name():
    scale, w = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.randn(3))
    s = scale.item()  # <- left_torch
    t = s**2 + 1
    loss = (w * t).sum()
    loss.backward()
    return scale, loss


def as_a_root(t):
    return math.sqrt(t)  # <- left_torch in number_derived_in_a_helper


def number_derived_in_a_helper():
    scale, w = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.randn(3))
    loss = (w * as_a_root(scale)).sum()
    loss.backward()
    return scale, loss


def rolled_by_a_number():
    shift, size = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.tensor(1.0))
    signal = torch.randn(10)
    loss = ((torch.roll(signal, int(shift)) * size - signal) ** 2).sum()  # <- left_torch
    loss.backward()
    return shift, loss


class Blur(nn.Module):
    def __init__(self):
        super().__init__()
        self.sigma, self.gain = nn.Parameter(torch.tensor(1.5)), nn.Parameter(torch.ones(1))

    def forward(self, x):
        offsets = torch.arange(-2, 3).float()
        kernel = torch.exp(-(offsets**2) / (2 * self.sigma.item() ** 2))  # <- left_torch in number_in_a_kernel
        return F.conv1d(x, (kernel / kernel.sum()).view(1, 1, 5), padding=2) * self.gain


def number_in_a_kernel():
    blur = Blur()
    loss = blur(torch.randn(1, 1, 20)).pow(2).mean()
    loss.backward()
    return blur.sigma, loss


def broadcast_of_results_that_are_gone():
    net = nn.Linear(3, 1)
    loss = nn.MSELoss()(net(torch.randn(8, 3)), torch.randn(8))  # <- broadcast_target
    loss.backward()
    return net.weight, loss


def held_by_nobody():  # <- unregistered_parameter, no line, open
    a, b = nn.Linear(4, 4), nn.Linear(4, 4)
    optimizer = torch.optim.SGD(a.parameters(), lr=0.1)
    loss = b(a(torch.randn(2, 4))).sum()
    loss.backward()
    optimizer.step()
    return b.weight, loss, optimizer


def one_of_several_losses():
    w, b = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(2.0))
    losses = torch.stack([(3 * w - 5) ** 2, (b - 4) ** 2])
    loss = losses[0]  # <- materialized_zero
    loss.backward()
    return b, loss


def zeros_asked_for():
    w, b = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(2.0))
    loss = (3 * w - 5) ** 2
    w.grad, b.grad = torch.autograd.grad(loss, (w, b), materialize_grads=True)  # <- materialized_zero
    return b, loss


def error_flag_on_a_module():  # <- flag_on_module, no line
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)).requires_grad_(False)
    net[1].requires_grad = True
    net(torch.ones(1, 2)).mean().backward()


def error_flag_after_the_loss():
    w = torch.tensor([1.0, 2.0])
    loss = (w * 3).sum()
    w.requires_grad_()  # <- flag_too_late
    loss.backward()


def error_slope_beside_a_detached_input():
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.linspace(0, 1, 10).unsqueeze(1).requires_grad_()
    u = net(x)
    (slope,) = torch.autograd.grad(u, x, torch.ones_like(u))  # <- no_create_graph
    loss = ((slope - torch.cos(x.detach())) ** 2).mean()
    loss.backward()


def memory_shared_by_set():
    w, scale = nn.Parameter(torch.randn(3)), nn.Parameter(torch.ones(3))
    same = torch.empty(0).set_(w.untyped_storage(), 0, (3,))  # <- left_torch
    loss = (same * scale).sum()
    loss.backward()
    return w, loss
