"""A class made up for tests, as a real one might be: right, wrong for many reasons, missing, late, tried again."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Problem

CHECKS = {
    "backward_first": ("losses_stay_one_per_trip", "norm_is_that_of_the_gradient", "weights_take_one_step"),
    "requires_grad_false": ("gradient_of_the_image", "every_pixel_is_nudged", "new_head_has_learned", "body_stays"),
    "leaf_or_not": ("w_after_three_steps", "offset_gradients_of_the_steps"),
    "late_retain_grad": ("map", "gradient_of_the_convolution"),
    "off_the_path": ("forecast_is_unchanged", "pull_on_temperature", "pull_on_demand", "training_is_unchanged"),
    "in_place_add": ("fit_descends", "pull_on_the_weights", "pull_on_the_level", "level_and_percent"),
    "autograd_grad": ("gradients_of_the_training", "step_goes_along_them", "each_entry_is_explained", "age_moves_nothing"),
    "retain_graph": ("state_carries_its_value", "gradient_stops_at_the_edge", "each_loss_has_its_own_pull"),
}
POSSIBLE = {exercise: float(len(checks)) for exercise, checks in CHECKS.items()}


class Fault(NamedTuple):
    """A wrong answer: which checks pass (`y`) or fail, and what the first failure says."""

    weight: int
    checks: str
    cause: str | None
    root: str | None
    message: str
    line: int
    source: str
    got: str = ""
    expected: str = ""


_NO_GRAPH = "raised RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
_NOT_A_LEAF = (
    "line 36: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward()."
)
_FOUR, _SHAPED = "-0.9141, -0.4758, 0.9877, 0.3831 (shape 4)", "-0.02014, -0.1674, -0.1785, ... (shape 4x6x5)"
FAULTS = {
    "backward_first": (
        Fault(5, "nnn", "non_scalar_loss", None, "first_step raised RuntimeError: grad can be implicitly created only for "
              "scalar outputs", 21, "    losses.backward()  # every loss"),
        Fault(3, "ynn", "wrong_scale", None, "gradient_norm has wrong numbers", 21, "    losses.sum().backward()", "68.79", "8.599"),
        Fault(3, "nnn", "no_backward", None, "first_step raised AttributeError: 'NoneType' object has no attribute 'norm'",
              22, "    gradient_norm = w.grad.norm()"),
        Fault(1, "nnn", "syntax_error", None, "invalid syntax", 19, "    losses = (x @ w - y) **"),
    ),
    "requires_grad_false": (
        Fault(4, "nnyy", "flag_too_late", None, "adversarial_image raised AttributeError: 'NoneType' object has no attribute "
              "'sign'", 36, "    pixels.requires_grad_()"),
        Fault(3, "yynn", "loss_has_no_graph", "grad_mode_off", f"fine_tune {_NO_GRAPH}", 47,
              "        scores = reader.features(photos / 255) @ head.T"),
        Fault(2, "nnyy", "integer_dtype", None, "adversarial_image raised RuntimeError: only Tensors of floating point dtype "
              "can require gradients", 34, "    photo.requires_grad_()"),
    ),
    "leaf_or_not": (
        Fault(9, "nn", "shadowed_leaf", None, "descend raised TypeError: 'NoneType' object is not subscriptable", 18,
              "    w = w * 0.1  # a small start"),
        Fault(3, "nn", "loss_has_no_graph", "detached", f"descend {_NO_GRAPH}", 17, "    w = (w0 * 0.1).detach()"),
        Fault(1, "nn", "timeout", None, "descend was still running after 5 s", 20, "    while loss > 0:"),
    ),
    "late_retain_grad": (
        Fault(8, "nn", "retained_late", None, "grad_cam raised AttributeError: 'NoneType' object has no attribute 'mean'", 37,
              "    features.retain_grad()"),
        Fault(4, "nn", "not_a_leaf", None, "grad_cam raised AttributeError: 'NoneType' object has no attribute 'mean'", 23,
              "        features = torch.relu(self.conv(image))"),
        Fault(2, "yn", "detached", None, "conv_gradient is None", 35, "    features = features.detach().requires_grad_()",
              "None", "0.03918, -0.1844, -0.1601, ... (shape 3x1x3x3)"),
    ),
    "off_the_path": (
        Fault(9, "ynny", "off_the_path", None, "pull_on_temperature is None", 36,
              "        return torch.stack(a_s, dim=1), torch.stack(b_s, dim=1)", "None", _SHAPED),
        Fault(3, "nnnn", "exception", None, "train_step raised RuntimeError: Input batch size 3 doesn't match hidden0 batch "
              "size 64", 29, "            hx, cx = self.lstm_cell(features[:, t], (hx, cx))"),
        Fault(2, "ynny", "wrong_shape", None, "pull_on_temperature has the shape (4, 30), expected (4, 6, 5)", 39,
              "def train_step(weights, features, targets, lr):", "-0.1081, -0.08485, ... (shape 4x30)", _SHAPED),
    ),
    "in_place_add": (
        Fault(5, "nyyy", "inplace_on_leaf", None, "fit raised RuntimeError: a leaf Variable that requires grad is being used "
              "in an in-place operation.", 23, "        w -= lr * w.grad"),
        Fault(4, "nyyy", "shadowed_leaf", None, "fit raised AttributeError: 'NoneType' object has no attribute 'zero_'", 23,
              "        w = w - lr * w.grad"),
        Fault(3, "ynny", "accumulated", None, "w_pull has wrong numbers", 37, "    loss.backward()", _FOUR, "-0.4570, -0.2379, 0.4938, 0.1915 (shape 4)"),
    ),
    "autograd_grad": (
        Fault(4, "nnyy", "accumulated", None, "w_grad has wrong numbers", 32, "        score(w, v, applicant).backward()", _FOUR, "0.01, 0.2, 0.3, 0.4 (shape 4)"),
        Fault(3, "yyyn", "unused", None, "age_saliency[0] is None", 31, "        age = age.clone().requires_grad_()", "[None; None]", "[0; 0]"),
        Fault(2, "yyny", "wrong_value", None, "saliency[0] has wrong numbers", 22, "def saliency_step(w, v, batches, lr):", "0.31, -0.12", "0.397, -0.7731"),
    ),
    "retain_graph": (
        Fault(7, "yny", "history_kept", None, "w_in has wrong numbers", 24, "        loss.backward(retain_graph=True)", _FOUR, "0.3314, -0.5747, 0.1141, -0.2733 (shape 4)"),
        Fault(4, "yyn", "graph_freed", None, "two_pulls raised RuntimeError: Trying to backward through the graph a second "
              "time", 41, "    demand_loss.backward()"),
        Fault(2, "nnn", "missing_function", None, "there is no function train", 1, "# exercise: retain_graph"),
    ),
}  # fmt: skip


def a_class(learners: int = 40, seed: int = 1) -> Results:
    """The results of a class; equal arguments give equal results."""
    drawn = random.Random(seed)
    people = tuple(
        Learner(f"learner-{i:03}", on_roster=drawn.random() > 0.04) for i in range(1, learners + 1)
    )
    rows = [row for one in people for row in _answers(one.id, drawn, skill=drawn.betavariate(3, 1.6))]
    problems = tuple(
        Problem(f"learner-{i:03}", f"learner-{i:03}.zip/notes.docx", "not a Python file or a notebook", "")
        for i in range(7, learners + 1, 13)
    )
    return Results(
        exercises=tuple(CHECKS),
        possible=POSSIBLE,
        learners=people,
        rows=tuple(sorted(rows, key=lambda row: row.order)),
        problems=problems,
        facts={
            "course": "gradient-clinic", "graded": "2026-03-02 14:05", "gradclinic": "1.0.0", "torch": "2.9.0",
            "python": "3.12.3", "isolation": "strict",
        },  # fmt: skip
    )  # fmt: skip


def an_answer(learner: str, exercise: str, fault: Fault | None = None, **more: Any) -> Row:
    """A row, right or with a fault; `more` replaces fields."""
    checks = [
        _check(name, None if fault is None or outcome == "y" else fault)
        for name, outcome in zip(CHECKS[exercise], fault.checks if fault else "y" * 9, strict=False)
    ]
    told: dict[str, Any] = {
        "learner": learner,
        "exercise": exercise,
        "passed": fault is None,
        "points": sum(check["points"] for check in checks),
        "possible": POSSIBLE[exercise],
        "cause": fault.cause if fault else None,
        "root": fault.root if fault else None,
        "checks": checks,
        "isolation": "strict",
        "seconds": 0.05,
        "key": f"{learner}/{exercise}/{more.get('attempt', 1)}",
        "origin": f"{learner}/{exercise}.py",
        "location": None,
    }
    return Row(**told | more)


def _check(name: str, fault: Fault | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": f"test_the_{name}", "state": "passed", "cause": None, "root": None, "message": "", "location": None,
        "got": "", "expected": "", "function": "", "warnings": [], "prints": "", "remarks": [], "passed": True,
        "points": 1.0, "possible": 1.0,
    }  # fmt: skip
    if fault is None:
        return told
    where = {"file": "exercise.py", "line": fault.line, "source": fault.source, "column": None, "end_column": None}
    told |= {"state": "failed", "cause": fault.cause, "root": fault.root, "message": fault.message, "location": where}
    told |= {"got": fault.got, "expected": fault.expected, "passed": False, "points": 0.0}
    return told | {"warnings": [_NOT_A_LEAF] if fault.cause in ("not_a_leaf", "shadowed_leaf") else []}


def _answers(learner: str, drawn: random.Random, skill: float) -> list[Row]:
    rows = []
    gives_up_at = drawn.choice((3, 5, 8, 8, 8, 8, 8, 8)) if skill < 0.7 else 8
    for place, exercise in enumerate(CHECKS):
        if place >= gives_up_at or drawn.random() < 0.02:
            continue
        attempts = drawn.choices((1, 2, 3), (8, 2, 1))[0]
        for attempt in range(1, attempts + 1):
            right = attempt == attempts and drawn.random() < skill
            faults = FAULTS[exercise]
            fault = None if right else drawn.choices(faults, [fault.weight for fault in faults])[0]
            last = attempt == attempts
            rows.append(
                an_answer(
                    learner, exercise, fault, attempt=attempt, counts=last, late=last and drawn.random() < 0.05,
                    submitted=f"2026-03-{1 + place // 4:02}T{8 + attempt:02}:{drawn.randrange(60):02}:00",
                )  # fmt: skip
            )
    return rows
