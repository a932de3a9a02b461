"""A whole module: grouped, registered, held by its optimizer."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gradclinic import diagnose, trace


class Cut(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
        self.head = nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.head(self.body(x).detach())
        return out


def test_one_cut_is_one_finding_however_many_parameters_lie_behind_it() -> None:
    with trace():
        model = Cut()
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        said = diagnose(model, loss)
    assert said.summary == "Of 6 parameters that require grad: 4 without a gradient, 2 with a gradient."
    assert [(one.cause.id, one.names) for one in said.findings] == [
        ("detached", ("body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias"))
    ]
    place = said.location
    assert place is not None
    assert place.source[place.column : place.end_column] == "self.body(x).detach()"
    assert (said.state, said.ok, said.certainty) == ("none", False, "proved")


def test_a_healthy_model() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss, optimizer=optimizer)
    assert (said.state, said.ok, said.cause, said.findings) == ("present", True, None, ())


def test_frozen_parameters_are_counted_without_alarm() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss)
    assert said.ok
    assert said.notes == ("2 parameters frozen (requires_grad False).",)


class Hidden(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(2, 2)]
        self.scale = torch.ones(2, requires_grad=True)
        self.alpha = nn.Parameter(torch.ones(1)).to(torch.float64)
        self.last = nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen = self.layers[0](x) * self.scale  # a result that a model keeps is no parameter
        out: torch.Tensor = self.last(self.seen) * self.alpha.float()
        return out


def test_what_looks_like_a_parameter_and_is_not_registered() -> None:
    model = Hidden()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss)
    assert [(one.cause.id, one.names) for one in said.findings] == [
        ("unregistered_parameter", ("layers[0]",)),
        ("unregistered_parameter", ("scale",)),
        ("shadowed_leaf", ("alpha",)),
    ]
    assert (said.state, said.certainty, said.cause) == ("unmoved", "proved", said.findings[0].cause)


def test_a_frozen_teacher_in_a_list_is_no_trouble() -> None:
    model = nn.Linear(2, 1)
    model.teacher = [nn.Linear(2, 1).requires_grad_(False)]  # type: ignore[assignment]
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    assert diagnose(model, loss).ok


def test_an_optimizer_that_holds_the_layer_that_was_replaced() -> None:
    model = nn.Sequential(nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[0] = nn.Linear(2, 1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss, optimizer=optimizer)
    assert [(one.cause.id, one.names) for one in said.findings] == [("stale_optimizer", ("0.weight", "0.bias"))]
    assert said.findings[0].text == (
        "The optimizer holds 2 tensors that the model does not have, and lacks 2 parameters of the model."
    )
    tensor = diagnose(model[0].weight, loss, optimizer=optimizer)
    assert tensor.cause is not None
    assert (tensor.state, tensor.cause.id, tensor.certainty) == ("unmoved", "stale_optimizer", "likely")


def test_one_of_two_optimizers_is_no_trouble() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss, optimizer=optimizer)
    assert said.ok
    assert said.notes == ("This optimizer does not hold 0.weight, 0.bias: another one may, or they stay as they are.",)


def test_requires_grad_set_on_a_module() -> None:
    model = nn.Linear(2, 1).requires_grad_(False)
    model.requires_grad = True  # type: ignore[assignment]
    said = diagnose(model, model(torch.ones(1, 2)).sum())
    assert said.cause is not None
    assert (said.cause.id, said.certainty) == ("flag_on_module", "proved")
    assert said.summary == "No parameter requires grad; 2 parameters frozen."


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = x + self.inner(x).detach()
        return made


def test_a_block_that_is_repeated_fifty_times_is_one_finding() -> None:
    model = nn.Sequential(*(Block() for _ in range(50)), nn.Linear(2, 1))
    with trace():
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        said = diagnose(model, loss)
    assert [(len(one.names), one.cause.id) for one in said.findings] == [(100, "detached")]
    assert said.location is not None
    assert said.location.source.strip() == "made: torch.Tensor = x + self.inner(x).detach()"
    assert said.location.module_path == ""
    assert len(str(said).splitlines()) < 30


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x).detach()
        hidden = hidden.data * 2
        made = self.last(hidden)
        assert isinstance(made, torch.Tensor)
        return made


def test_what_a_repair_would_meet_next_is_told() -> None:
    model = Twice()
    with trace():
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        said = diagnose(model, loss)
    assert said.location is not None
    assert said.location.source.strip() == "hidden = self.first(x).detach()"
    line = said.location.line
    assert line is not None
    expected = f"first.weight: After that, autograd stops again at .data (test_model.py:{line + 1})."
    assert [note for note in said.notes if "stops again" in note] == [expected]


def test_a_list_of_parameters_that_the_optimizer_holds_is_no_alarm() -> None:
    model = nn.Linear(2, 1)
    code = torch.ones(2, requires_grad=True)
    model.codes = [code]  # type: ignore[assignment]
    optimizer = torch.optim.SGD([*model.parameters(), code], lr=0.1)
    loss = model(code).sum()
    loss.backward()
    assert diagnose(model, loss, optimizer=optimizer).ok
    without = diagnose(model, loss, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    assert [one.cause.id for one in without.findings] == ["unregistered_parameter"]


def test_a_teacher_beside_the_parameters_that_the_loss_does_not_use_is_no_alarm() -> None:
    model = nn.Linear(2, 1)
    teacher = nn.Linear(2, 1)
    model.teachers = [teacher]  # type: ignore[assignment]
    with torch.no_grad():
        target = teacher(torch.ones(2))
    loss = (model(torch.ones(2)) - target).pow(2).sum()
    loss.backward()
    assert diagnose(model, loss).ok


def test_a_flag_that_the_class_itself_reads_is_no_alarm() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model.requires_grad = False  # type: ignore[assignment]
    model[0].weight.requires_grad_(False)
    model[0].bias.requires_grad_(False)
    loss = model(torch.ones(2)).sum()
    loss.backward()
    assert diagnose(model, loss).ok


def test_two_optimizers_are_not_taken_for_a_replaced_parameter() -> None:
    body, head, centres = nn.Linear(2, 3), nn.Linear(3, 1), nn.Parameter(torch.ones(7))
    model = nn.Sequential(body, head)
    first = torch.optim.SGD(body.parameters(), lr=0.1)
    second = torch.optim.SGD([*head.parameters(), centres], lr=0.1)
    with trace():
        loss = model(torch.ones(2)).sum() + centres.sum()
        loss.backward()
        first.step()
        second.step()
        assert diagnose(model, loss, optimizer=second).ok
        assert diagnose(body.weight, loss, optimizer=second).ok


def test_a_frozen_module_is_no_trouble_unless_its_loss_has_no_graph() -> None:
    model = nn.Linear(2, 1).requires_grad_(False)
    learned = torch.ones(1, 2, requires_grad=True)
    said = diagnose(model, model(learned).sum())
    assert (said.state, said.ok, said.summary) == ("none", True, "No parameter requires grad; 2 parameters frozen.")
    said = diagnose(model, model(torch.ones(1, 2)).sum())
    assert (said.state, said.ok, said.certainty) == ("none", False, "open")
    assert [(one.cause.id, one.role) for one in said.findings] == [("loss_has_no_graph", "symptom")]
    assert "frozen" in [one.id for one in said.candidates]


def test_a_module_without_parameters() -> None:
    said = diagnose(nn.ReLU())
    assert (said.state, said.ok, said.summary) == ("none", True, "It has no parameters.")


def test_what_is_not_registered_is_no_reason_for_a_gradient_that_is_none() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model.spare = [nn.Linear(2, 2)]  # type: ignore[assignment]
    loss = (model[1](torch.ones(1, 2)) + model.spare[0](torch.ones(1, 2)).sum()).sum()  # type: ignore[index, operator]
    loss.backward()
    said = diagnose(model, loss)
    assert (said.state, said.cause, said.certainty) == ("none", None, "open")
    assert "unused" in [one.id for one in said.candidates]
    assert [(one.cause.id, one.names) for one in said.findings] == [("unregistered_parameter", ("spare[0]",))]
    assert said.notes[0] == (
        "0.weight, 0.bias: The gradient is None. The graph of the loss does not lead to it: cut, never used, or inside "
        "a reentrant checkpoint, which the graph does not show."
    )


def test_the_replaced_layer_may_live_on_elsewhere() -> None:
    model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model[0]
    model[0] = nn.Linear(2, 1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss, optimizer=optimizer)
    assert [one.cause.id for one in said.findings] == ["stale_optimizer"]
    assert before.weight.grad is None


def test_an_optimizer_of_two_models_that_leaves_a_part_of_one_alone_is_no_trouble() -> None:
    model, other = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*model[1].parameters(), *other.parameters()], lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss, optimizer=optimizer)
    assert said.ok
    assert said.notes == (
        "This optimizer does not hold 0.weight, 0.bias: another one may, or they stay as they are.",
        "This optimizer also holds 2 tensors that this module does not have.",
    )


def test_tied_weights_and_shared_modules_count_once() -> None:
    layer = nn.Linear(2, 2)
    nn.init.ones_(layer.weight)  # with a weight by chance, relu may let nothing through
    model = nn.Sequential(layer, nn.ReLU(), layer)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    said = diagnose(model, loss, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    assert (said.ok, said.summary) == (True, "Of 2 parameters that require grad: 2 with a gradient.")


def test_lazy_parameters_have_no_shape_yet() -> None:
    model = nn.Sequential(nn.LazyLinear(2), nn.Linear(2, 1))
    assert diagnose(model).notes[1:2] == ("2 parameters without a shape until the first forward pass.",)
    assert diagnose(model[0].weight).target == "parameter without a shape yet"


@pytest.mark.filterwarnings("ignore:`torch.jit.script`", "ignore:Guards may run slower on Python 3.13.0")
@pytest.mark.parametrize("kind", ["meta", "script", "compiled", "integer"])
def test_models_of_other_kinds(kind: str) -> None:
    model, x = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)), torch.ones(1, 2)
    if kind == "meta":
        model, x = model.to("meta"), x.to("meta")
    if kind == "script":
        model[0] = torch.jit.script(model[0])
    if kind == "integer":
        model.register_buffer("counts", torch.arange(3))
        model.quantized = nn.Parameter(torch.zeros(2, dtype=torch.int8), requires_grad=False)
    asked = torch.compile(model, backend="eager") if kind == "compiled" else model
    loss = asked(x).sum()
    loss.backward()
    said = diagnose(asked, loss)  # type: ignore[arg-type]
    assert (said.ok, said.summary) == (True, "Of 4 parameters that require grad: 4 with a gradient.")
    if kind == "compiled":
        torch._dynamo.reset()  # later traces would tell of it
