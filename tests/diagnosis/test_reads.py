"""Which reads of `.grad` are questions: told from the bytecode of this interpreter."""

from __future__ import annotations

import dis
import types
from pathlib import Path

import pytest

from gradclinic.diagnosis.run import reads
from gradclinic.diagnosis.run.reads import counts

QUESTIONS = [
    "p.grad.norm()",
    "p.grad * 2",
    "print(p.grad)",
    "f'{p.grad}'",
    "[x.grad.norm() for x in ps]",
    "a.b.c.grad.abs().max().item()",
    "(g := p.grad).norm()",
    "g = p.grad\ng.norm()",
    "with torch.no_grad():\n    p.grad.zero_()",
]
TESTS = [
    "if p.grad is None:\n    pass",
    "if p.grad is not None and q:\n    pass",
    "if q and p.grad is not None:\n    pass",
    "x = p.grad is None",
    "if p.grad == None:\n    pass",
    "if not p.grad:\n    pass",
    "g = p.grad\nif g is None:\n    pass",
    "if (g := p.grad) is not None:\n    pass",
    "isinstance(p.grad, T)",
    "[x for x in ps if x.grad is not None]",
    "while p.grad is None:\n    pass",
    "assert p.grad is not None",
]


def verdicts(source: str, function: bool, file: Path) -> list[bool]:
    """What `counts` says of each read of `.grad` in this text, as a module or as the body of a function."""
    if function:
        source = "def f(p, q, ps, a, T):\n" + "\n".join("    " + line for line in source.splitlines())
    file.write_text(source)
    found: list[bool] = []
    todo = [compile(source, str(file), "exec")]
    while todo:
        code = todo.pop()
        todo += [one for one in code.co_consts if isinstance(one, types.CodeType)]
        steps = dis.get_instructions(code)
        found += [counts(code, one.offset) for one in steps if one.opname == "LOAD_ATTR" and one.argval == "grad"]
    return found


@pytest.mark.parametrize("function", [False, True])
@pytest.mark.parametrize("source", QUESTIONS)
def test_a_use_of_the_value_counts(source: str, function: bool, tmp_path: Path) -> None:
    assert verdicts(source, function, tmp_path / "a.py") == [True]


@pytest.mark.parametrize("function", [False, True])
@pytest.mark.parametrize("source", TESTS)
def test_a_test_for_none_does_not_count(source: str, function: bool, tmp_path: Path) -> None:
    assert set(verdicts(source, function, tmp_path / "a.py")) == {False}


def test_an_instruction_that_nobody_knows_is_no_alarm() -> None:
    code = compile("p.grad.norm()", "<text>", "exec")
    steps = [one for one in dis.get_instructions(code) if one.opname not in reads._SKIPPED]
    at = next(index for index, one in enumerate(steps) if one.argval == "grad")
    assert not reads._is_test(steps[at + 1 :])
    assert reads._is_test([steps[at + 1]._replace(opname="JUMP_UNLESS_SOMETHING"), *steps[at + 2 :]])
