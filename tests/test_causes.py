"""The catalogue of causes: its form, and the fragments, each in a message that PyTorch really gives here."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from gradclinic import causes
from gradclinic.causes import CAUSES, FRAGMENTS, Cause, Fragment, from_message

OUTCOMES = {
    "none": (
        "no_backward not_a_leaf shadowed_leaf retained_late off_the_path unused detached left_torch rewrapped "
        "grad_mode_off not_differentiable requires_grad_false frozen flag_on_module flag_too_late "
        "grad_cleared functional_grad backward_returned_none modified_after_use loss_patched checkpoint_cut"
    ),
    "error": (
        "inplace_on_leaf inplace_on_saved inplace_on_view graph_freed non_scalar_loss inference_tensor "
        "integer_dtype no_create_graph loss_has_no_graph"
    ),
    "zero": "zero_derivative materialized_zero",
    "unmoved": "unregistered_parameter stale_optimizer",
    "wrong": (
        "accumulated edited_through_data broadcast_target nonfinite_derivative wrong_scale wrong_scalar "
        "wrong_tensor wrong_shape hook_order history_kept truncated_too_much state_thrown_away not_computed "
        "wrong_value"
    ),
    "work": (
        "not_started missing_function wrong_signature wrong_type syntax_error not_utf8 exception timeout crashed "
        "exited out_of_memory"
    ),
}

LESSONS = {
    "backward_first": "no_backward non_scalar_loss",
    "requires_grad_false": "requires_grad_false loss_has_no_graph loss_patched flag_too_late integer_dtype frozen",
    "leaf_or_not": "not_a_leaf shadowed_leaf",
    "late_retain_grad": "retained_late",
    "off_the_path": "off_the_path unused",
    "in_place_add": "inplace_on_leaf inplace_on_saved edited_through_data modified_after_use",
    "autograd_grad": "functional_grad materialized_zero",
    "retain_graph": "graph_freed history_kept",
}


def test_the_ids_and_their_outcomes_are_exactly_these() -> None:
    tables = (causes._SILENT_NONE, causes._ERRORS, causes._ZERO_UNMOVED_WRONG, causes._WORK)
    wanted = sorted((cause, outcome) for outcome, ids in OUTCOMES.items() for cause in ids.split())
    assert sorted((cause.id, cause.outcome) for table in tables for cause in table) == wanted
    assert sorted((key, cause.outcome) for key, cause in CAUSES.items()) == wanted


def test_each_lesson_teaches_its_causes() -> None:
    taught: dict[str, list[str]] = {}
    for cause in CAUSES.values():
        if cause.lesson is not None:
            taught.setdefault(cause.lesson, []).append(cause.id)
    assert {lesson: sorted(ids) for lesson, ids in taught.items()} == {
        lesson: sorted(ids.split()) for lesson, ids in LESSONS.items()
    }


@pytest.mark.parametrize("cause", CAUSES.values(), ids=CAUSES)
def test_the_texts_have_the_form_that_the_pages_count_on(cause: Cause) -> None:
    assert 0 < len(cause.title) <= 72
    assert not cause.title.endswith(".")
    assert cause.explanation.endswith(".")
    assert cause.fix.endswith((".", "?"))
    for text in (cause.title, cause.explanation, cause.fix):
        assert "  " not in text
        assert "\n" not in text
        assert text.count("`") % 2 == 0


def test_the_catalogue_needs_no_torch() -> None:
    program = "import sys, gradclinic.causes; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def leaf(*values: float) -> Tensor:
    return torch.tensor(values, requires_grad=True)


def backward_twice() -> None:
    loss = leaf(1.0).square().sum()
    loss.backward()
    loss.backward()


def exp_then_add() -> None:
    y = leaf(1.0).exp()
    y.add_(1)
    y.sum().backward()


def square_then_detach() -> None:
    y = leaf(1.0) * 2
    loss = (y * y).sum()
    y.detach_()
    loss.backward()


def write_to_an_unbound_row() -> None:
    first, _ = (leaf(1.0, 2.0) * 1).unbind()
    first.mul_(2)


def write_to_a_view_made_without_gradients() -> None:
    y = leaf(1.0, 2.0) * 1
    with torch.no_grad():
        row = y[0]
    row.mul_(2)


def born_in_inference_mode() -> Tensor:
    with torch.inference_mode():
        return torch.ones(1)


def read_the_grad_of_a_result() -> None:
    y = leaf(1.0) * 2
    y.sum().backward()
    assert y.grad is None


def root_of_minus_one_under_anomaly_detection() -> None:
    with torch.autograd.detect_anomaly():
        leaf(-1.0).sqrt().sum().backward()


# Fragment -> programs that make PyTorch say it. A fragment without one is a claim that nobody checked.
SAID_BY: dict[str, list[Callable[[], object]]] = {
    "appears to not have been used in the graph": [lambda: torch.autograd.grad(leaf(1.0).sum(), leaf(1.0))],
    "backward through the graph a second time": [backward_twice],
    "does not require grad and does not have a grad_fn": [
        lambda: torch.ones(2).sum().backward(),
        lambda: torch.ones(2, dtype=torch.int64).sum().backward(),
        lambda: torch.autograd.grad(torch.ones(2).sum(), leaf(1.0)),
    ],
    "one of the differentiated tensors does not require grad": [
        lambda: torch.autograd.grad(leaf(1.0).sum(), torch.ones(1)),
    ],
    "can't retain_grad on tensor that has requires_grad=false": [lambda: torch.ones(1).retain_grad()],
    "grad can be implicitly created only for scalar outputs": [
        lambda: leaf(1.0, 2.0).backward(),
        lambda: torch.autograd.grad(leaf(1.0, 2.0) * 2, leaf(1.0)),
    ],
    "to return a scalar tensor": [lambda: torch.func.grad(torch.sin)(torch.ones(2))],
    "leaf variable that requires grad is being used in an in-place operation": [
        lambda: leaf(1.0).add_(1),
        lambda: leaf(1.0)[0].add_(1),
    ],
    "has been modified by an inplace operation": [exp_then_add],
    "saved tensor that has been detached in-place": [square_then_detach],
    "is a view and is being modified inplace": [write_to_an_unbound_row],
    "view was created in no_grad mode and is being modified inplace": [write_to_a_view_made_without_gradients],
    "only tensors of floating point": [
        lambda: torch.tensor([1, 2], requires_grad=True),
        lambda: torch.tensor([1, 2]).requires_grad_(),
        lambda: nn.Parameter(torch.tensor([1, 2])),
    ],
    "input dtype must be either a floating point or complex dtype": [lambda: torch.tensor([1, 2]).mean()],
    "inference tensors cannot be saved for backward": [lambda: leaf(1.0) * born_in_inference_mode()],
    "inplace update to inference tensor outside inferencemode": [lambda: born_in_inference_mode().add_(1)],
    "setting requires_grad=true on inference tensor outside inferencemode": [
        lambda: born_in_inference_mode().requires_grad_(),
    ],
    "grad attribute of a tensor that is not a leaf tensor is being accessed": [read_the_grad_of_a_result],
    "can't optimize a non-leaf tensor": [lambda: torch.optim.SGD([leaf(1.0) * 0.1], lr=0.1)],
    "can't call numpy() on tensor that requires grad": [lambda: leaf(1.0).numpy()],
    "none of the inputs have requires_grad=true": [
        lambda: checkpoint(torch.sin, torch.ones(1), use_reentrant=True),
    ],
    "will likely lead to incorrect results due to broadcasting": [
        lambda: nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2)),
    ],
    "returned nan values in its": [root_of_minus_one_under_anomaly_detection],
    "defaultcpuallocator": [lambda: torch.empty(10**15)],
}


def said(program: Callable[[], object]) -> list[str]:
    """The warnings of a program and the message of the error that ended it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            program()
        except (RuntimeError, ValueError) as error:
            return [*(str(warning.message) for warning in caught), str(error)]
    return [str(warning.message) for warning in caught]


def test_every_fragment_has_a_program_that_makes_torch_say_it() -> None:
    assert sorted(SAID_BY) == sorted(fragment.text for fragment in FRAGMENTS)


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda fragment: fragment.text.replace(" ", "-"))
def test_torch_says_the_fragment_and_it_names_one_cause(fragment: Fragment) -> None:
    assert fragment.text == fragment.text.lower()
    assert fragment.cause in CAUSES
    for program in SAID_BY[fragment.text]:
        texts = [text for text in said(program) if fragment.text in text.lower()]
        assert len(texts) == 1
        assert from_message(texts[0]) == fragment.cause
        assert {f.cause for f in FRAGMENTS if f.text in texts[0].lower()} == {fragment.cause}


def test_both_wordings_of_an_unused_tensor_are_known() -> None:
    older = "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True"
    newer = "The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True"
    assert from_message(older) == from_message(newer) == "unused"


def test_other_messages_name_no_cause() -> None:
    assert from_message("'NoneType' object has no attribute 'zero_'") is None
    assert from_message("") is None
