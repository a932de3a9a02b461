"""The replay of a failed call: what only the diagnosis knows, and a replay that lies or breaks."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Grader

# the line to name ends with `# <- here`; `w` and `x` come in plain; right is the gradient of sum((w x)^2)
TOLD = {
    "zero_derivative": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = torch.round(w * x)  # <- here
            (product ** 2).sum().backward()
            return w.grad
        """,
    "left_torch: and back as torch.Tensor([...]), which no function mode sees": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()
            values = torch.Tensor([float(one) for one in w])  # <- here
            values.requires_grad_()
            ((values * x) ** 2).sum().backward()
            return w.grad
        """,
    "not_differentiable: beyond a retained result": """
        def slope(w, x):
            w = w.clone().requires_grad_()
            product = w * x
            product.retain_grad()
            sign = (product > 0).float()  # <- here
            (sign * w).sum().backward()
            return product.grad
        """,
    "unused: a value that is only printed has not left": """
        import torch
        def slope(w, x):
            w = w.clone().requires_grad_()  # <- here
            print(f"{w * x}")
            v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
            (v ** 2).sum().backward()
            return w.grad
        """,
}


@pytest.mark.parametrize("name", TOLD)
def test_what_only_the_diagnosis_knows(grade: Grader, name: str) -> None:
    cause, _, line = grade.told(TOLD[name])
    assert (cause, line) == (name.partition(":")[0], grade.marked(TOLD[name]))


def test_the_line_is_the_learners_also_where_a_module_beside_it_did_the_work(grade: Grader) -> None:
    (grade.folder / "helper.py").write_text("def square(w, x):\n    return (w.detach() * x) ** 2\n")
    program = """
        from helper import square
        def slope(w, x):
            w = w.clone().requires_grad_()
            loss = square(w, x).sum().requires_grad_()
            other = square(w, x).sum() + x.clone().requires_grad_().sum()  # <- here
            other.backward()
            return w.grad
        """
    assert grade.told(program) == ("detached", None, grade.marked(program))


HOSTILE = {
    "events raise": "Replay.events = lambda self: 1 / 0",
    "it does not start": "Replay.__enter__ = lambda self: 1 / 0",
    "it leaves": "import os\nReplay.events = lambda self: os._exit(0)",
    "no list": "Replay.events = lambda self: 'nonsense'",
    "facts are missing": "Replay.events = lambda self: [{'op': 'read', 'none': True}]",
    "no events at all": "Replay.events = lambda self: [1, None]",
    "a line that the file does not have": "Replay.events = lambda self: [{'op': 'hook', 'reached': False, 'leaf': True,"
    " 'made_line': 10**9, 'line': 1, 'at': 0}, {'op': 'backward', 'at': 1, 'line': 1, 'raised': False}]",
    "a line that is none": "Replay.events = lambda self: [{'op': 'hook', 'reached': False, 'leaf': True,"
    " 'made_line': [1], 'line': 1, 'at': 0}, {'op': 'backward', 'at': 1, 'line': 1, 'raised': False}]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_replay_that_lies_or_breaks_costs_the_explanation_only(grade: Grader, name: str) -> None:
    patch = indent(HOSTILE[name], "    ")
    program = f"""from gradclinic.grading.replay import Replay

def slope(w, x):
    w = w.clone().requires_grad_()
    return w.grad

if True:
{patch}
"""
    row = grade(dedent(program)).checks[0]
    assert row.state == "failed"
    assert row.cause == "wrong_type"  # what a None is called where nothing explains it
    assert row.location is not None
    assert row.location.line == 3


def test_a_right_answer_passes_whatever_its_replay_says(grade: Grader) -> None:
    program = """
        from gradclinic.grading.replay import Replay
        Replay.events = lambda self: [{"op": "edit", "through": "data"}, None]
        def slope(w, x):
            w = w.clone().requires_grad_()  # no .data here, but the word asks for remarks
            ((w * x) ** 2).sum().backward(retain_graph=True)
            return w.grad
        """
    row = grade(program).checks[0]
    assert row.passed
    assert row.remarks == ()
