"""The page of a cause: made by running it, and refused when the run says something else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradclinic.causes import CAUSES
from gradclinic.course import CourseError, shipped_root
from gradclinic.publishing.cause_programs import read_causes
from gradclinic.publishing.forked import forked_results
from gradclinic.publishing.forks import Call, answers

BROKEN = """
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
loss = w.detach() * b
loss.backward()
print(w.grad)
"""
FIXED = BROKEN.replace(".detach()", "")
RAISING = "\nimport torch\n\nw = torch.tensor([1.0, 2.0], requires_grad=True)\nloss = w * 3\nloss.backward()\n"
GOING = RAISING.replace("w * 3", "(w * 3).sum()")

# The catalogue of autograd causes, as the list of expected diagnoses has it.
EXPECTED = [
    "no_backward",
    "not_a_leaf",
    "shadowed_leaf",
    "retained_late",
    "off_the_path",
    "unused",
    "detached",
    "left_torch",
    "rewrapped",
    "grad_mode_off",
    "not_differentiable",
    "requires_grad_false",
    "frozen",
    "flag_on_module",
    "flag_too_late",
    "grad_cleared",
    "functional_grad",
    "backward_returned_none",
    "modified_after_use",
    "loss_patched",
    "checkpoint_cut",
    "inplace_on_leaf",
    "inplace_on_saved",
    "inplace_on_view",
    "graph_freed",
    "non_scalar_loss",
    "inference_tensor",
    "integer_dtype",
    "no_create_graph",
    "loss_has_no_graph",
    "zero_derivative",
    "materialized_zero",
    "unregistered_parameter",
    "stale_optimizer",
    "accumulated",
    "edited_through_data",
    "broadcast_target",
    "nonfinite_derivative",
]


def write(workshop: Any, id: str, broken: str, fixed: str, tags: str = "") -> Path:
    file = Path(workshop.root, "lessons", "causes", f"{id}.py")
    file.parent.mkdir(exist_ok=True)
    ask = '# %% tags=["ask"]\ndiagnose(w, loss)\n'
    file.write_text(f'# %% tags=["broken"{tags}]{broken}\n{ask}\n# %% tags=["fixed"]{fixed}')
    return file


def publish(workshop: Any) -> str:
    command = [sys.executable, "-m", "gradclinic.publishing", "--course", str(workshop.root)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


def problems(workshop: Any) -> list[str]:
    return [str(problem) for problem in forked_results(workshop.course, lambda line: None).problems]


def test_every_autograd_cause_has_a_file() -> None:
    files = {file.stem for file in (shipped_root() / "lessons" / "causes").glob("*.py")}
    assert len(EXPECTED) == 38
    assert files >= set(EXPECTED)
    assert not {id for id in files if CAUSES[id].outcome == "work"}


def test_a_page_shows_the_program_the_diagnosis_and_the_fix(workshop: Any) -> None:
    write(workshop, "detached", BROKEN, FIXED)
    told = publish(workshop)
    page = Path(workshop.root, "docs", "causes", "detached.md").read_text()
    assert f"```python\n{BROKEN.strip()}\n```" in page
    assert "with trace():\n    ...  # the program above\n    print(diagnose(w, loss))" in page
    assert "program.py:5\n      loss = w.detach() * b\n             ^^^^^^^^^^" in page
    assert page.index("loss = w.detach()") < page.index(f"```python\n{FIXED.strip()}\n```") < page.index("tensor(3.)")
    index = Path(workshop.root, "docs", "causes.md").read_text()
    assert "(causes/detached.md){ #detached }" in index
    assert "### A new tensor was built from the value { #rewrapped }" in index  # has no page in this course
    assert "1 causes  1 run" in told
    assert "1 causes  unchanged" in publish(workshop)


def test_an_error_stands_on_the_page_with_its_line(workshop: Any) -> None:
    write(workshop, "non_scalar_loss", RAISING, GOING, ', "raises-exception"')
    results = forked_results(workshop.course, lambda line: None)
    assert results.problems == []
    (piece,) = results.causes[0].broken
    assert piece.kind == "raises"
    assert piece.text == (
        "line 5: loss.backward()\nRuntimeError: grad can be implicitly created only for scalar outputs"
    )


def test_another_cause_than_the_name_of_the_file_is_refused(workshop: Any) -> None:
    file = write(workshop, "rewrapped", BROKEN, FIXED)
    (said,) = problems(workshop)
    assert said.startswith(f"{file}:11: the diagnosis names detached and not rewrapped:\n")


def test_a_repaired_program_that_is_not_repaired_is_refused(workshop: Any) -> None:
    file = write(workshop, "detached", BROKEN, BROKEN)
    (said,) = problems(workshop)
    assert said.startswith(f"{file}:14: the diagnosis still finds something in the repaired program:\n")


def test_an_error_that_does_not_happen_is_refused(workshop: Any) -> None:
    file = write(workshop, "detached", BROKEN, FIXED, ', "raises-exception"')
    (said,) = problems(workshop)
    assert said.startswith(f"{file}:2: this cell should raise an error, and it did not.")


def test_a_program_that_ends_its_process_is_refused_alone(workshop: Any) -> None:
    write(workshop, "detached", BROKEN, FIXED)
    file = write(workshop, "rewrapped", "\nimport os\nos._exit(3)\n", "\nw = loss = None\n")
    said = problems(workshop)
    assert said[0].startswith(f"{file}:2: this program could not be run: its process died.")
    assert all(str(file) in one for one in said)


def test_a_file_of_another_form_and_an_unknown_cause_are_refused(workshop: Any) -> None:
    file = write(workshop, "detached", BROKEN, FIXED)
    file.write_text(file.read_text().replace('["ask"]', '["asked"]'))
    with pytest.raises(CourseError, match="three cells, in this order"):
        read_causes(workshop.course)
    file.rename(file.with_name("gone.py"))
    with pytest.raises(CourseError, match="the catalogue knows no cause gone"):
        read_causes(workshop.course)


@pytest.mark.parametrize("forks", [True, False])
def test_answers_come_in_the_order_of_the_calls_each_from_a_process_of_its_own(forks: bool) -> None:
    calls = [Call("os:getpid", {}), Call("math:no_such_function", {}), Call("os:abort", {}), Call("os:getpid", {})]
    first, missing, dead, last = answers(calls, forks)
    assert first.value != last.value
    assert missing.failed.startswith("AttributeError:")
    assert dead.failed
