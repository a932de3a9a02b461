"""`gradclinic dev new SLUG`: the files of a new lesson, with TODOs where the author goes on."""

from __future__ import annotations

import argparse
import keyword
import re
from pathlib import Path

from gradclinic.cli.console import say, shown
from gradclinic.course import Course, CourseError, Lesson, find_course

_LESSON = """# ---
# jupyter:
#   gradclinic:
#     title: {title}
#     id: {id}
#     question: "TODO: the question in the learner's own words?"
#     causes: []  # TODO: ids of src/gradclinic/causes.py
#     claims: []
#     symptoms: []  # TODO: - {{text: "what people see", kind: error, cell: run}}
#     objectives: []  # TODO: - Say of a tensor whether ...
#     minutes: {{teach: 0, exercise: 0}}  # TODO
#     core: true
#     prerequisites: []
#     predict:
#       ask: "TODO: what will this print?"
#       choices: []  # TODO: - {{text: "its name", when: "what is printed then", because: "why"}}
#     notes: {{}}  # TODO: predict: ["Ask: ...", "Demo: ..."]
#     hints: []  # TODO: three, from where to look to almost the code
# ---

# %% [markdown]
# ## Predict
#
# TODO: one sentence, then a program of at most 12 lines.

# %% tags=["predict"]
import torch

x = torch.tensor(1.0, requires_grad=True)

# %% [markdown]
# ## Run

# %% tags=["run"]
print(x.grad)

# %% [markdown]
# ## Investigate
#
# TODO: the cause in three sentences.

# %% [markdown]
# ## Modify
#
# TODO: a small change to try, with its result.

# %% tags=["fold-output"]
print(x.requires_grad)

# %% [markdown]
# ## Make
#
# TODO: two sentences about the exercise. `gradclinic check {id}` tells how far you are.
"""
_EXERCISE = '''# exercise: {id}
"""What is this program for?

TODO (author): tell the story in a few lines; it is a small real program that goes wrong.

TODO: what the learner should make right.
"""

import torch


def {id}(weights: torch.Tensor) -> dict[str, torch.Tensor | None]:
    """weights: any shape."""
    weights = weights.clone().requires_grad_()
    loss = (weights**2).sum()
    return {{"loss": loss, "gradient": weights.grad}}
'''
_SOLUTION = '''# exercise: {id}
"""What is this program for?

TODO (author): the same words as in the exercise.
"""

import torch


def {id}(weights: torch.Tensor) -> dict[str, torch.Tensor | None]:
    """weights: any shape."""
    weights = weights.clone().requires_grad_()
    loss = (weights**2).sum()
    loss.backward()  # without it, no gradient was ever computed
    return {{"loss": loss, "gradient": weights.grad}}
'''
_CHECK = '''"""The verdict on {slug}. TODO (author): say what it asks for, and look at more than the gradient."""

from gradclinic.grading.checking import Exercise, expect, normal


def test_the_gradient_arrives(exercise: Exercise) -> None:
    weights = normal(4)
    got = exercise.{id}(weights)
    wanted = 2 * weights.double()
    mistakes = {{
        "lost": 0 * wanted,  # no gradient arrived; which mistake it was is found by watching the code
        "accumulated": 2 * wanted,  # added up over two backward()
        "wrong_scale": wanted / 4,  # of the mean instead of the sum
    }}
    expect("gradient", got["gradient"], wanted, otherwise=mistakes)
'''
_WRONG = '''# expects: not_computed
# exercise: {id}
"""Constants instead of a gradient. TODO (author): four more wrong answers, each with a cause of its own."""

import torch


def {id}(weights: torch.Tensor) -> dict[str, torch.Tensor | None]:
    return {{"loss": torch.tensor(1.0), "gradient": torch.ones(4)}}
'''
_RIGHT = '''# exercise: {id}
"""The gradient by hand. TODO (author): two more right answers that differ in approach."""

import torch


def {id}(weights: torch.Tensor) -> dict[str, torch.Tensor | None]:
    return {{"loss": (weights**2).sum(), "gradient": 2 * weights}}
'''
_LONGEST = 60  # characters of an id


def run(arguments: argparse.Namespace) -> int:
    course = find_course(given=arguments.course)
    lesson = _new(course, arguments.slug)
    title = lesson.id.replace("_", " ").capitalize()
    for file, template in _files(lesson).items():
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as fresh:
            fresh.write(template.format(slug=lesson.slug, id=lesson.id, title=title))
        say(f"✓ {shown(file)}", "good")
    say()
    say("`gradclinic dev check --quick` tells what is still missing.")
    return 0


def _new(course: Course, name: str) -> Lesson:
    """The lesson of that name, with the next free number if the name has none. Raises CourseError if it exists."""
    match = re.fullmatch(r"(?:(\d\d)_)?([a-z][a-z0-9_]*)", name)
    if match is None:
        raise CourseError(f'"{name}" is no slug. Use small letters, digits and _, as in 09_double_backward.')
    if keyword.iskeyword(match[2]) or len(match[2]) > _LONGEST:
        raise CourseError(f"The id names a function, too: at most {_LONGEST} characters, and no word of Python itself.")
    number = match[1] or f"{max((lesson.number for lesson in course.lessons), default=0) + 1:02}"
    if len(number) > 2:
        raise CourseError(f"Numbers end at 99, and that is taken. Choose a free one: 42_{match[2]}.")
    lesson = Lesson(course.root, f"{number}_{match[2]}")
    for other in course.lessons:
        if other.id == lesson.id or (other.number == lesson.number and other.slug != lesson.slug):
            raise CourseError(f"{other.slug} has this name or number already. Nothing was changed.")
    taken = next((file for file in _files(lesson) if file.exists()), None)
    if taken:
        raise CourseError(f"{shown(taken)} exists already. Nothing was changed.")
    return lesson


def _files(lesson: Lesson) -> dict[Path, str]:
    return {
        lesson.lesson_file: _LESSON,
        lesson.exercise_file: _EXERCISE,
        lesson.solution_file: _SOLUTION,
        lesson.check_file: _CHECK,
        lesson.answers_folder / "wrong_constants.py": _WRONG,
        lesson.answers_folder / "right_by_hand.py": _RIGHT,
    }
