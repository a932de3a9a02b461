"""Whether a name that once stood for a leaf now stands for the result of an operation on it."""

from __future__ import annotations

import ast

from ..record.views import Op, Source
from .history import Step
from .source import Assignment, assignment, expression

_FAR = 20  # operations of one statement that are looked at


def shadows(made: Op) -> bool | None:
    """Whether the statement that made a result took its leaf's name, or made the leaf on the way; None: not clear."""
    if made.site.column is None:
        return None  # without a source, or without columns where a line holds several statements
    statement = assignment(made.site)
    if statement is None:
        return False
    return _from(made, statement, _FAR)


def _from(made: Op, statement: Assignment, far: int) -> bool | None:
    tracked = [given for given, flag in zip(made.inputs, made.inputs_tracked, strict=True) if flag]
    inside = [one for one in tracked if isinstance(one, Op) and statement.holds(one.site)]
    if any(_is_leaf(one) for one in inside):
        return True
    deeper = [_from(one, statement, far - 1) if far else None for one in inside]
    if any(deeper):
        return True
    outside = [one for one in tracked if one not in inside]
    if not statement.targets & statement.reads or not outside:
        return None if None in deeper else False
    answer = _takes_the_name(made, outside, statement)
    return None if answer is False and None in deeper else answer


def _takes_the_name(made: Op, outside: list[Step], statement: Assignment) -> bool | None:
    """Whether what the name stood for before was a leaf, among the tracked inputs from other statements."""
    behind = [_is_leaf(one) or _same_name(one, statement) for one in outside]
    if not any(behind):
        return False
    if all(behind) and len(outside) == len(made.inputs):
        return True
    named = _operand(made, statement)
    if named is None:
        return None
    return named in outside and (_is_leaf(named) or _same_name(named, statement))


def _operand(made: Op, statement: Assignment) -> Step | None:
    """The input that the name stands for, where `name * other` or `name.method()` makes that plain."""
    here = expression(statement, made.site)
    if isinstance(here, ast.BinOp) and len(made.inputs) == 2:
        for side, given in zip((here.left, here.right), made.inputs, strict=True):
            if ast.unparse(side) in statement.targets:
                return given
    called = here.func if isinstance(here, ast.Call) else None
    if isinstance(called, ast.Attribute) and made.inputs and ast.unparse(called.value) in statement.targets:
        return made.inputs[0]
    return None


def _same_name(step: Step, statement: Assignment) -> bool:
    """Whether an earlier statement had given the name to a result in the same way."""
    if not isinstance(step, Op):
        return False
    before = assignment(step.site)
    return before is not None and bool(before.targets & statement.targets) and bool(shadows(step))


def _is_leaf(step: Step) -> bool:
    """Whether a step that requires grad is a leaf: made so, switched on later, or with its history cut off."""
    if isinstance(step, Source):
        return step.kind != "unknown"
    return not (step.tracked_out and step.tracked_in) or step.cut is not None
