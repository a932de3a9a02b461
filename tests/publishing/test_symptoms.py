"""The pages of the symptoms: which there are, what stands on each, and when the build refuses one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from gradclinic.causes import FRAGMENTS
from gradclinic.course import Course, CourseError, shipped_root
from gradclinic.publishing.cause_programs import read_causes
from gradclinic.publishing.forked import Forked, forked_results
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.symptom_page import symptom_page, symptom_title
from gradclinic.publishing.symptom_programs import ExecutedSymptom, messages_of, read_symptoms

# slug -> how the message begins, type first, as PyTorch and Python print it.
MESSAGES = {
    "backward-a-second-time": "RuntimeError: Trying to backward through the graph a second time",
    "cannot-call-numpy": "RuntimeError: Can't call numpy() on Tensor that requires grad.",
    "cannot-multiply-sequence": "TypeError: can't multiply sequence by non-int of type 'float'",
    "cannot-optimize-a-non-leaf": "ValueError: can't optimize a non-leaf Tensor",
    "cannot-retain-grad": "RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
    "converting-a-tensor-to-a-scalar": "UserWarning: Converting a tensor with requires_grad=True to a scalar may lead",
    "could-not-infer-output-dtype": "RuntimeError: mean(): could not infer output dtype. Input dtype must be",
    "default-cpu-allocator": "RuntimeError: [enforce fail at alloc_cpu.cpp:",
    "differentiated-tensor-does-not-require-grad": "RuntimeError: One of the differentiated Tensors does not require",
    "does-not-require-grad": "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
    "float-and-nonetype": "TypeError: unsupported operand type(s) for *: 'float' and 'NoneType'",
    "function-to-return-a-scalar-tensor": "RuntimeError: grad_and_value(f)(*args): Expected f(*args) to return a",
    "inference-tensors-saved-for-backward": "RuntimeError: Inference tensors cannot be saved for backward.",
    "inplace-update-to-inference-tensor": "RuntimeError: Inplace update to inference tensor outside InferenceMode is",
    "leaf-in-an-in-place-operation": "RuntimeError: a leaf Variable that requires grad is being used in an in-place",
    "modified-by-an-inplace-operation": "RuntimeError: one of the variables needed for gradient computation has been",
    "none-of-the-inputs": "UserWarning: None of the inputs have requires_grad=True. Gradients will be None",
    "nonetype-has-no-attribute": "AttributeError: 'NoneType' object has no attribute 'norm'",
    "not-a-leaf-is-being-accessed": "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being",
    "not-used-in-the-graph": "RuntimeError: The differentiated Tensor at index 1 appears to not have been used in",
    "only-floating-point-and-complex": "RuntimeError: Only Tensors of floating point and complex dtype can require",
    "only-floating-point-dtype": "RuntimeError: only Tensors of floating point dtype can require gradients",
    "only-for-scalar-outputs": "RuntimeError: grad can be implicitly created only for scalar outputs",
    "requires-grad-on-inference-tensor": "RuntimeError: Setting requires_grad=True on inference tensor outside",
    "returned-nan-values": "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.",
    "saved-tensor-detached-in-place": "RuntimeError: Trying to use a saved tensor that has been detached in-place",
    "using-a-target-size": "UserWarning: Using a target size (torch.Size([3])) that is different to the input size",
    "view-created-in-no-grad-mode": "RuntimeError: A view was created in no_grad mode and is being modified inplace",
    "view-inside-a-custom-function": "RuntimeError: Output 0 of BackwardHookFunction is a view and is being modified",
    "view-modified-inplace": "RuntimeError: Output 0 of Unbind is a view and is being modified inplace.",
    "view-of-a-leaf-in-an-in-place-operation": "RuntimeError: a view of a leaf Variable that requires grad is being",
}
SILENT = (
    "autograd-grad-and-grad-stays-none autograd-grad-returned-none every-prediction-is-the-same "
    "first-step-works-second-crashes grad-doubles-each-step grad-is-nan grad-is-none-after-backward "
    "grad-is-none-before-backward grad-is-there-and-weights-do-not-move grad-is-zero-for-most-elements "
    "grad-is-zeros grad-was-there-and-is-none gradients-differ-with-retain-graph head-does-not-train "
    "layer-missing-from-parameters layers-before-one-line-have-no-grad leaf-has-no-name "
    "loss-is-right-and-grad-is-none loss-requires-grad-and-nothing-trains memory-grows-with-every-batch "
    "no-parameter-moves none-after-a-later-in-place none-after-a-new-tensor none-behind-a-custom-function "
    "none-behind-argmax one-parameter-has-no-grad requires-grad-set-and-still-none result-does-not-require-grad "
    "retain-grad-and-no-warning retain-grad-in-time-and-none unfrozen-and-still-none wrong-numbers-after-data"
)
HEADER = """\
# ---
# jupyter:
#   gradclinic:
#     text: {text}
#     kind: {kind}
#     cause: {cause}
{more}# ---
"""
CELLS = """
# %% tags=["broken", "raises-exception"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = w * 3
loss.backward()

# %% tags=["ask"]
diagnose(w, loss)

# %% tags=["fixed"]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * 3).sum()
loss.backward()
print(w.grad)
"""
SCALAR = "grad can be implicitly created only for scalar outputs"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Forked:
    """The symptoms of the shipped course; what was run before is not run again."""
    root = tmp_path_factory.mktemp("symptoms")
    for name in ("lessons", "checks", ".cache/gradclinic"):
        if (shipped_root() / name).is_dir():
            shutil.copytree(shipped_root() / name, root / name)
    return forked_results(Course(root), lambda line: None)


def by_slug(published: Forked) -> dict[str, ExecutedSymptom]:
    return {one.symptom.slug: one for one in published.symptoms}


def write(
    workshop: Any,
    slug: str,
    text: str,
    kind: str = "error",
    cause: str = "non_scalar_loss",
    more: str = "",
    cells: str = CELLS,
) -> Path:
    file = Path(workshop.root, "lessons", "symptoms", f"{slug}.py")
    file.parent.mkdir(exist_ok=True)
    file.write_text(HEADER.format(text=f'"{text}"', kind=kind, cause=cause, more=more) + cells)
    return file


def problems(workshop: Any) -> list[str]:
    return [str(problem) for problem in forked_results(workshop.course, lambda line: None).problems]


def test_these_symptoms_have_a_page_each_with_the_message_that_was_printed(published: Forked) -> None:
    assert published.problems == []
    symptoms = by_slug(published)
    assert sorted(symptoms) == sorted([*MESSAGES, *SILENT.split()])
    for slug, beginning in MESSAGES.items():
        assert symptoms[slug].message.startswith(beginning)
    assert {symptoms[slug].message for slug in SILENT.split()} == {""}


def test_every_message_that_names_a_cause_has_its_page(published: Forked) -> None:
    said = [one.message.lower() for one in published.symptoms]
    assert [fragment.text for fragment in FRAGMENTS if not any(fragment.text in message for message in said)] == []


def test_every_page_has_its_parts_in_order(published: Forked) -> None:
    course = Course(shipped_root())
    for slug, one in by_slug(published).items():
        page = symptom_page(course, one, published.causes, [])
        parts = [
            page.index(f"\n## {part}") for part in ("Why it happens", "A program", "What helps", "What ", "Read on")
        ]
        parts[3] = page.index(
            "\n## What explain says" if 'title="raises an error"' in page else "\n## What diagnose says"
        )
        assert parts == sorted(parts), slug
        head = page[: parts[0]]
        title = re.findall(r"^# (.+)$", head, re.MULTILINE)
        assert len(title) == 1
        assert len(title[0].replace("\\", "")) <= 82
        assert re.search(r"^description: .{60,}$", head, re.MULTILINE)
        if slug in MESSAGES:
            assert " ".join(one.message.split()) in head, slug
        assert page.count("```python") == 3
        assert "- The cause: [" in page
        assert page.count(' title="') >= 3, slug  # both programs and the diagnosis put something out


def test_a_message_leads_to_other_causes_that_end_in_it(published: Forked) -> None:
    one = by_slug(published)["does-not-require-grad"]
    page = symptom_page(Course(shipped_root()), one, published.causes, [])
    assert "- The cause: [Nothing in the loss requires grad](../causes/loss_has_no_graph.md)" in page
    assert "Another cause that ends in this message: [The loss uses a gradient that was taken without" in page


@pytest.mark.parametrize(
    ("slug", "title"),
    [
        ("backward-a-second-time", "Trying to backward through the graph a second time"),
        ("only-for-scalar-outputs", "grad can be implicitly created only for scalar outputs"),
        ("cannot-call-numpy", "Can't call numpy() on Tensor that requires grad"),
        (
            "could-not-infer-output-dtype",
            "mean(): could not infer output dtype. Input dtype must be either a floating\u00a0…",
        ),
        ("grad-is-zeros", "The gradient is all zeros"),
    ],
)
def test_a_title_is_the_message_cut_where_a_sentence_or_a_word_ends(published: Forked, slug: str, title: str) -> None:
    assert symptom_title(by_slug(published)[slug]) == title


def test_a_symptom_with_a_program_of_its_own_is_published(workshop: Any) -> None:
    write(workshop, "scalar", SCALAR)
    results = forked_results(workshop.course, lambda line: None)
    assert results.problems == []
    (one,) = results.symptoms
    assert one.message == f"RuntimeError: {SCALAR}"
    assert one.run.fixed == (Piece("prints", "tensor([3., 3.])\n"),)


def test_a_program_that_stops_printing_its_message_is_refused(workshop: Any) -> None:
    file = write(workshop, "scalar", SCALAR.replace("scalar", "single"))
    (said,) = problems(workshop)
    assert said.startswith(f"{file}:4: scalar.py prints no error with these words: grad can be implicitly created only")
    assert (
        "It prints: line 5: loss.backward() RuntimeError: grad can be implicitly created only for scalar outputs"
        in said
    )


def test_a_program_that_no_longer_fails_is_refused(workshop: Any) -> None:
    write(workshop, "scalar", SCALAR, cells=CELLS.replace("loss = w * 3\n", "loss = (w * 3).sum()\n"))
    said = problems(workshop)
    assert any("this cell should raise an error, and it did not." in one for one in said)


def test_a_silent_symptom_must_show_what_it_says(workshop: Any) -> None:
    cells = CELLS.replace(', "raises-exception"', "").replace(
        "loss = w * 3\nloss", "loss = (w * 3).sum()\nprint(w.grad)\nloss"
    )
    more = '#     shows: "tensor(0.)"\n'
    file = write(
        workshop, "still", "nothing moves", kind="silent", more=more, cells=cells.replace('"ask"', '"ask", "unnamed"')
    )
    assert f"{file}:4: still.py does not print tensor(0.)\n    It prints: None" in problems(workshop)


def test_without_cells_the_program_of_the_cause_is_shown_and_not_run_twice(workshop: Any) -> None:
    cause = Path(workshop.root, "lessons", "causes", "non_scalar_loss.py")
    cause.parent.mkdir()
    cause.write_text(CELLS.lstrip())
    write(workshop, "scalar", SCALAR, cells="")
    told: list[str] = []
    results = forked_results(workshop.course, told.append)
    assert results.problems == []
    assert [one.message for one in results.symptoms] == [f"RuntimeError: {SCALAR}"]
    assert results.symptoms[0].run is results.causes[0]
    assert "1 causes  1 run" in told
    write(workshop, "scalar", "grad can be created only for one output", cells="")
    (said,) = problems(workshop)
    assert "non_scalar_loss.py prints no error with these words: grad can be created only for one output" in said


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": "loud"}, "the kind is error or warning, or silent"),
        ({"kind": "silent"}, "the kind is error or warning, or silent with `shows:`"),
        ({"cause": "gone"}, "the catalogue knows no cause gone"),
        ({"cells": ""}, "there is no lessons/causes/non_scalar_loss.py to show"),
        ({"more": "#     colour: red\n"}, "the header knows no colour"),
        ({"cells": CELLS.replace('"ask"', '"asked"')}, "the page of a symptom has three cells, in this order"),
    ],
)
def test_a_file_of_another_form_is_refused(workshop: Any, change: dict[str, str], complaint: str) -> None:
    write(workshop, "scalar", SCALAR, **change)
    with pytest.raises(CourseError, match=re.escape(complaint)):
        read_symptoms(workshop.course, read_causes(workshop.course))


def test_two_warnings_in_one_output_are_two_messages() -> None:
    text = (
        "program.py:3: UserWarning: First one.\nConsider this.\n  first(x)\n"
        ".../torch/nn.py:9: FutureWarning: Second one.\n  second(x)\n"
    )
    assert list(messages_of([Piece("prints", "5\n"), Piece("warns", text)])) == [
        ("warning", "UserWarning: First one.\nConsider this."),
        ("warning", "FutureWarning: Second one."),
    ]
