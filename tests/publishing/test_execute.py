"""Lessons run in real kernels: what they put out, and what the build refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradclinic.course import Lesson
from gradclinic.diagnosis.graph import Node
from gradclinic.publishing.execute import ExecutedLesson, execute_lesson
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.reading import Graph

TORCH_CELLS = """
# %% tags=["predict"]
import sys, warnings
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 2
beside = y.clone()
loss = y.sum()
loss.backward()

# %% tags=["run"]
print("before")
print(y.grad)
warnings.warn("mine")
print("after")
beside

# %% tags=["asking", "raises-exception"]
def deeper():
    return lost

deeper()

# %% [markdown]
# [graph: predict]

# %% tags=["picture"]
from IPython.display import SVG
SVG("<svg xmlns='http://www.w3.org/2000/svg'><title>a</title></svg>")
"""
NOT_A_LEAF = (
    "cell:2: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. "
    "Its .grad attribute won't be populated during autograd.backward()."
)


def problem(lesson: Lesson) -> tuple[int, str, str]:
    """The line, the words and the remedy of a lesson's only problem."""
    (found,) = execute_lesson(lesson).problems
    assert str(found).startswith(f"{lesson.lesson_file}:{found.line}: {found.what}")
    return found.line, found.what, found.remedy


def line(lesson: Lesson, text: str) -> int:
    return lesson.lesson_file.read_text().splitlines().index(text) + 1


def without_choices(text: str) -> str:
    kept, dropping = [], False
    for row in text.splitlines(keepends=True):
        dropping = row.startswith(("#     predict:", "#     symptoms:")) or (dropping and row.startswith("#      "))
        kept += [] if dropping else [row]
    return "".join(kept)


@pytest.fixture(scope="module")
def executed(make_workshop: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> ExecutedLesson:
    workshop = make_workshop(tmp_path_factory.mktemp("executed") / "course")
    return execute_lesson(workshop.write(TORCH_CELLS, without_choices))


def test_outputs_come_in_the_order_of_writing_short_and_without_traces_of_the_machine(executed: ExecutedLesson) -> None:
    assert executed.problems == ()
    first, warned, *rest = executed.output("run")
    assert first == Piece("prints", "before\n")
    assert warned.kind == "warns"
    assert warned.text.startswith(NOT_A_LEAF)
    assert warned.text.endswith("\n  print(y.grad)\n")
    assert rest == [
        Piece("prints", "None\n"),
        Piece("warns", 'cell:3: UserWarning: mine\n  warnings.warn("mine")\n'),
        Piece("prints", "after\n"),
        Piece("shows", "tensor([2., 4.], grad_fn=<CloneBackward0>)\n"),
    ]
    assert executed.output("asking") == (Piece("raises", "line 2: return lost\nNameError: name 'lost' is not defined"),)
    assert [piece.kind for piece in executed.output("picture")] == ["svg"]


def test_graphs_are_those_right_after_the_cell(executed: ExecutedLesson) -> None:
    assert executed.graphs[Graph("predict", "loss")].nodes == (
        Node("loss", "sum", "loss", False, (1,)),
        Node("operation", "mul", "y", False, (2,)),
        Node("leaf", "leaf", "w", True, ()),
        Node("gap", "clone", "beside", False, (1,), "not reached from the loss"),
    )


def test_an_executed_lesson_survives_the_way_through_the_cache(executed: ExecutedLesson) -> None:
    assert ExecutedLesson.from_json(executed.story, executed.to_json()) == executed


def test_a_lesson_that_keeps_its_word_has_no_problems(workshop: Any) -> None:
    result = execute_lesson(workshop.write())
    assert result.problems == ()
    assert result.output("run") == (Piece("prints", "2\n"),)
    assert result.output("asking") == (Piece("raises", "line 2: lost)\nNameError: name 'lost' is not defined"),)


def test_an_expected_error_that_does_not_happen_is_named_with_its_line(workshop: Any) -> None:
    lesson = workshop.write(
        change=lambda text: text.replace("print(\n    lost)", "print(2)  # name 'lost' is not defined")
    )
    at, what, remedy = problem(lesson)
    assert at == line(lesson, "print(2)  # name 'lost' is not defined")
    assert what == "this cell should raise an error, and it did not."
    assert 'take the tag "raises-exception" away' in remedy


def test_an_error_that_nobody_declared_is_shown_with_its_line(workshop: Any) -> None:
    lesson = workshop.write(change=lambda text: text.replace("print(total)", "print(totl)"))
    at, what, _ = problem(lesson)
    assert at == line(lesson, "print(totl)")
    assert what == "this cell raised:\n    line 1: print(totl)\n    NameError: name 'totl' is not defined"


def test_a_symptom_that_its_cell_does_not_print_is_named_with_its_line(workshop: Any) -> None:
    lesson = workshop.write(change=lambda text: text.replace("name 'lost' is not", "name 'gone' is not"))
    at, what, remedy = problem(lesson)
    assert lesson.lesson_file.read_text().splitlines()[at - 1].startswith("#       - {text: \"name 'gone'")
    assert what == "the cell asking does not print the symptom \"name 'gone' is not defined\""
    assert remedy.endswith("line 2: lost) NameError: name 'lost' is not defined")


def test_a_symptom_of_no_cell_is_refused(workshop: Any) -> None:
    _, what, remedy = problem(workshop.write(change=lambda text: text.replace("cell: asking", "cell: elsewhere")))
    assert what == "no code cell is tagged elsewhere."
    assert remedy == 'Tag the cell that shows it: # %% tags=["elsewhere"]'


@pytest.mark.parametrize(
    ("change", "count", "choice"), [(('"3"', '"2"'), 2, "three"), (('"2", b', '"4", b'), 0, "two")]
)
def test_exactly_one_choice_must_be_right(workshop: Any, change: tuple[str, str], count: int, choice: str) -> None:
    lesson = workshop.write(change=lambda text: text.replace(*change))
    at, what, _ = problem(lesson)
    assert f"{{text: {choice}," in lesson.lesson_file.read_text().splitlines()[at - 1]
    assert what == f"{count} of the choices are right, and exactly one should be: the run cell printed\n    2"


def test_a_picture_of_no_tensor_is_refused_at_its_line(workshop: Any) -> None:
    lesson = workshop.write(
        change=lambda text: text.replace("# ## Run\n", "# ## Run\n#\n# [graph: predict root=total]\n")
    )
    at, what, _ = problem(lesson)
    assert at == line(lesson, "# [graph: predict root=total]")
    assert what == "no picture after the cell predict: there is no tensor called total."


def test_a_picture_of_too_many_nodes_is_refused(workshop: Any) -> None:
    many = (
        "import torch\ntotal = loss = torch.ones(1, requires_grad=True)\nfor _ in range(15): loss = loss + 1\ntotal = 2"
    )
    cells = lambda text: text.replace("total = 1 + 1", many).replace("# ## Run\n", "# ## Run\n#\n# [graph: predict]\n")  # noqa: E731
    _, what, _ = problem(workshop.write(change=cells))
    assert what.startswith("no picture after the cell predict: the graph of loss has 16 nodes")


def test_a_kernel_that_dies_is_a_problem_of_the_lesson(workshop: Any) -> None:
    lesson = workshop.write(change=lambda text: text.replace("print(total)", "import os; os._exit(3)"))
    _, what, _ = problem(lesson)
    assert what == "the kernel died."
