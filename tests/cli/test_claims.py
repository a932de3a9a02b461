"""claims: every program runs, and a verdict other than the recorded one is told."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from .conftest import Clinic

CLAIMS = {
    "A10": ("A", "false", 'return "false", "0.5"'),
    "A2": ("A", "true", 'return ("true", "1") if torch.ones(1).item() == 1 else ("false", "0")'),
    "Q1": ("Q", "half", 'import warnings; warnings.warn("noise"); return "half", "both"'),
}


@pytest.fixture
def with_claims(clinic: Clinic) -> Clinic:
    for name, (source, verdict, code) in CLAIMS.items():
        write(clinic, name, source, verdict, code)
    return clinic


def write(clinic: Clinic, name: str, source: str, verdict: str, code: str) -> None:
    text = f'''
    """The claim {name},
    in two lines.

    source: {source}
    verdict: {verdict}
    """
    import torch

    def measure():
        {code}
    '''
    file = clinic.root / "lessons" / "claims" / f"{name}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(dedent(text).lstrip())


def test_json_lists_each_claim_with_what_came_out(with_claims: Clinic) -> None:
    result = with_claims.run("claims", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == [
        {
            "id": id,
            "claim": f"The claim {id}, in two lines.",
            "verdict": verdict,
            "measured": out,
            "torch": torch.__version__,
        }
        for id, verdict, out in [("A2", "true", "1"), ("A10", "false", "0.5"), ("Q1", "half", "both")]
    ]


def test_in_words_and_what_differs_from_the_record(with_claims: Clinic) -> None:
    write(with_claims, "Q2", "Q", "false", 'return "true", "it works"')
    write(with_claims, "Q3", "Q", "false", 'raise ValueError("no such thing")')
    result = with_claims.run("claims")
    assert result.returncode == 1
    assert "A10  ✗ false" in result.stdout
    assert "→ 0.5" in result.stdout
    assert f"2 true, 1 false, 1 half true, as run with torch {torch.__version__}." in result.stdout
    assert "Article A explains why .grad is None after backward()" in " ".join(result.stdout.split())
    assert "Article Q asks for gradients inside a model" in " ".join(result.stdout.split())
    assert result.stderr.splitlines() == [
        "Q2: recorded as false, and this run shows true.",
        "Q3: recorded as false, and this run shows error.",
    ]
    assert "Q3.py raised ValueError: no such thing" in result.stdout


def test_a_docstring_of_another_form_is_named(with_claims: Clinic) -> None:
    write(with_claims, "Q2", "Q", "perhaps", 'return "true", ""')
    result = with_claims.run("claims")
    assert result.returncode == 2
    assert "Q2.py:1: the docstring of a claim ends with" in result.stderr


def test_a_course_without_claims_says_so(clinic: Clinic) -> None:
    result = clinic.run("claims")
    assert result.returncode == 2
    assert "There are no claims" in result.stderr
