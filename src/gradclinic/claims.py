"""The claims of the two source articles: each is a program that runs, and says what really comes out."""

from __future__ import annotations

import ast
import re
import runpy
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gradclinic.course import Course, CourseError

VERDICTS = ("true", "false", "half")


@dataclass(frozen=True)
class Claim:
    """One `lessons/claims/<id>.py`, as its docstring tells it."""

    id: str
    file: Path
    claim: str
    source: str  # Q or A: which of the two articles
    recorded: str  # true, false or half: the verdict that its program is expected to show


@dataclass(frozen=True)
class ClaimResult:
    """What a claim's program showed in this run."""

    id: str
    claim: str
    source: str
    recorded: str
    verdict: str  # true, false, half, or error when the program itself raised
    measured: str
    torch: str

    @property
    def as_recorded(self) -> bool:
        return self.verdict == self.recorded


def read_claims(course: Course) -> list[Claim]:
    """The course's claims, ordered by id, without running them. Raises CourseError for a docstring of another form."""
    files = sorted((course.root / "lessons" / "claims").glob("*.py"), key=_by_number)
    return [_read(file) for file in files]


def run_claims(course: Course) -> list[ClaimResult]:
    """Every claim's program, run now. Imports torch. Raises CourseError for a docstring of another form."""
    return list(each_claim(course))


def each_claim(course: Course) -> Iterator[ClaimResult]:
    """The same, one at a time."""
    for claim in read_claims(course):
        yield _run(claim)


def _by_number(file: Path) -> tuple[str, int]:
    match = re.fullmatch(r"(\D*)(\d*)", file.stem)
    return (match[1], int(match[2] or 0)) if match else (file.stem, 0)


def _read(file: Path) -> Claim:
    try:
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    except SyntaxError as error:
        raise CourseError(f"{file}:{error.lineno}: not Python: {error.msg}.") from None
    source = re.search(r"^source: ([QA])$", text, re.MULTILINE)
    recorded = re.search(rf"^verdict: ({'|'.join(VERDICTS)})$", text, re.MULTILINE)
    if not (source and recorded):
        raise CourseError(
            f"{file}:1: the docstring of a claim ends with a line `source: Q` or `source: A`, and a line\n"
            "`verdict: true`, `verdict: false` or `verdict: half`."
        )
    claim = " ".join(text.split("\n\n")[0].split())
    return Claim(file.stem, file, claim, source[1], recorded[1])


def _run(claim: Claim) -> ClaimResult:
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a claim tells what came out by its result
            verdict, measured = runpy.run_path(str(claim.file))["measure"]()
    except Exception as error:
        verdict, measured = "error", f"{claim.file.name} raised {type(error).__name__}: {error}"
    return ClaimResult(
        claim.id, claim.claim, claim.source, claim.recorded, str(verdict), str(measured), str(torch.__version__)
    )
