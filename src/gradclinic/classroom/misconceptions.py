"""What the class believes that is not so: the causes behind failed checks, ranked by how many learners hold them."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from dataclasses import dataclass

from gradclinic.causes import CAUSES
from gradclinic.classroom.results import Results
from gradclinic.classroom.rows import Row

_HEADS = ("def ", "class ")  # a check names the head of the function where it knows no line


@dataclass(frozen=True)
class Misconception:
    """A cause and the learners who hold it, of those rows that count.

    `exercises` gives for each exercise, in the order of the course, in how many answers it showed. `example` is the
    line that most of them wrote (`alike` of them), without its comment; empty where no line is known.
    """

    cause: str
    learners: tuple[str, ...]
    exercises: dict[str, int]
    example: str
    alike: int

    @property
    def teachable(self) -> bool:
        """Whether it is about gradients, and more than a wrong number without a guess."""
        known = CAUSES.get(self.cause)
        return known is not None and known.outcome != "work" and known.id != "wrong_value"

    @property
    def hardest(self) -> str:
        """The exercise in which most of them met it."""
        return max(self.exercises, key=lambda exercise: self.exercises[exercise])


def causes_of(row: Row) -> tuple[str, ...]:
    """What went wrong in an answer, each cause once, in the order of the checks; a root counts for its symptom."""
    if row.passed:
        return ()
    told = [check.get("root") or check.get("cause") for check in row.checks if not check["passed"]]
    return tuple(dict.fromkeys(str(cause) for cause in (told or [row.root or row.cause]) if cause))


def ranked(results: Results) -> list[Misconception]:
    """All causes of the class; that of most learners first, then that of most answers, then by id."""
    rows: dict[str, list[Row]] = {}
    for learner in results.learners:
        for row in results.of_learner(learner.id):
            for cause in causes_of(row):
                rows.setdefault(cause, []).append(row)
    found = [_told(cause, of_it, results.exercises) for cause, of_it in rows.items()]
    return sorted(found, key=lambda one: (-len(one.learners), -sum(one.exercises.values()), one.cause))


def _told(cause: str, rows: list[Row], exercises: tuple[str, ...]) -> Misconception:
    met = Counter(row.exercise for row in rows)
    lines = {(row.learner, line) for row in rows if (line := _line(row, cause))}
    alike = Counter(line for _, line in lines)
    example = min(alike, key=lambda line: (-alike[line], len(line), line), default="")
    return Misconception(
        cause,
        learners=tuple(dict.fromkeys(row.learner for row in rows)),
        exercises={exercise: met[exercise] for exercise in exercises if met[exercise]},
        example=example,
        alike=alike[example],
    )


def _line(row: Row, cause: str) -> str:
    """The learner's line behind a cause, without what may tell whose it is."""
    for check in row.checks:
        if not check["passed"] and cause == (check.get("root") or check.get("cause")) and check.get("location"):
            line = _without_comment(str(check["location"]["source"])).strip()
            return "" if line.startswith(_HEADS) else line
    return ""


def _without_comment(line: str) -> str:
    """A comment may hold a name; a `#` inside a string is none."""
    bare = line.strip()
    try:
        for token in tokenize.generate_tokens(io.StringIO(bare).readline):
            if token.type == tokenize.COMMENT:
                return bare[: token.start[1]]
    except (tokenize.TokenError, SyntaxError):  # half a statement, after its last token
        pass
    return bare
