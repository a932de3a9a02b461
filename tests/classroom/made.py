"""A class made up for tests, as a real one might be: right, wrong for many reasons, missing, late, tried again."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Problem

CHECKS = {
    "backward_first": ("the_losses_stay_one_per_trip", "the_norm_of_the_gradient", "the_weights_take_one_step"),
    "requires_grad_false": (
        "the_gradient_of_the_image",
        "every_pixel_is_nudged",
        "the_new_head_has_learned",
        "the_body_stays",
    ),
    "leaf_or_not": ("w_after_three_steps", "offset_gradients_of_the_steps"),
    "late_retain_grad": ("the_map", "the_gradient_of_the_convolution"),
    "off_the_path": (
        "the_forecast_is_unchanged",
        "the_pull_on_temperature",
        "the_pull_on_demand",
        "the_training_is_unchanged",
    ),
    "in_place_add": ("fit_descends", "the_pull_on_the_weights", "the_pull_on_the_level", "level_and_percent"),
    "autograd_grad": (
        "gradients_of_the_training",
        "step_goes_along_them",
        "each_entry_is_explained",
        "age_moves_nothing",
    ),
    "retain_graph": ("state_carries_its_value", "gradient_stops_at_the_edge", "each_loss_has_its_own_pull"),
}
POSSIBLE = {exercise: float(len(checks)) for exercise, checks in CHECKS.items()}


class Fault(NamedTuple):
    """A wrong answer: which checks pass (`y`) or fail, what the failures say, and how often it is met."""

    checks: str
    message: str
    line: int
    source: str
    cause: str | None = None
    root: str | None = None
    got: str = ""
    expected: str = ""
    weight: int = 1


_NOT_A_LEAF = (
    "line 36: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward()."
)
FAULTS = {
    exercise: tuple(Fault(**fault) for fault in faults)
    for exercise, faults in json.loads(Path(__file__).with_name("faults.json").read_text(encoding="utf-8")).items()
}


def a_class(learners: int = 40, seed: int = 1) -> Results:
    """The results of a class; equal arguments give equal results."""
    drawn = random.Random(seed)
    people = tuple(Learner(f"learner-{i:03}", on_roster=drawn.random() > 0.04) for i in range(1, learners + 1))
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
            "course": "gradient-clinic",
            "graded": "2026-03-02 14:05",
            "gradclinic": "1.0.0",
            "torch": "2.9.0",
            "python": "3.12.3",
            "isolation": "strict",
        },
    )


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
        "name": f"test_{name}",
        "state": "passed",
        "cause": None,
        "root": None,
        "message": "",
        "location": None,
        "got": "",
        "expected": "",
        "function": "",
        "warnings": [],
        "prints": "",
        "remarks": [],
        "passed": True,
        "points": 1.0,
        "possible": 1.0,
    }
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
                    learner,
                    exercise,
                    fault,
                    attempt=attempt,
                    counts=last,
                    late=last and drawn.random() < 0.05,
                    submitted=f"2026-03-{1 + place // 4:02}T{8 + attempt:02}:{drawn.randrange(60):02}:00",
                )
            )
    return rows
