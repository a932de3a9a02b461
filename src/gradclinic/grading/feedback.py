"""A verdict in words: what went wrong, the learner's line, got and expected, and the next step."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gradclinic.causes import CAUSES
from gradclinic.grading.verdict import CheckRow, Location, Verdict

_WIDTH = 78
_MOST_LINES = 3  # of a sentence, of warnings, and of prints


@dataclass(frozen=True)
class Line:
    """One line of feedback; the style is `good`, `bad`, `cause`, `code`, `dim` or `plain`."""

    text: str
    style: str = "plain"


def render(verdict: Verdict) -> list[Line]:
    """The whole answer: the first failure in full, further ones in a line each; or what passed, with remarks."""
    answer = verdict.answer
    if verdict.passed:
        lines = [Line(f"✓ {answer.label}: all {len(verdict.checks)} checks pass", "good")]
    else:
        failed = sum(not row.passed for row in verdict.checks)
        lines = [Line(f"✗ {answer.label}: {failed} of {len(verdict.checks)} checks fail", "bad")]
    lines += told(verdict.checks, answer.lesson.id)
    if not verdict.passed:
        lines.append(Line(f"  seed {verdict.seed}, isolation: {verdict.isolation}", "dim"))
    return lines


def told(rows: tuple[CheckRow, ...], exercise: str) -> list[Line]:
    """What there is to say of the checks of one answer to the exercise of this id."""
    first = next((row for row in rows if not row.passed), None)
    lines = failure(first, exercise) if first is not None else []
    for row in rows:
        if row is not first and not row.passed:
            cause = f" [{row.cause}]" if row.cause else ""
            lines.append(Line(_cut(f"  ✗ {row.name}{cause}: {row.message}"), "dim"))
    shown = first or next((row for row in rows if row.prints), None)
    return lines + noise(rows, shown)


def failure(row: CheckRow, exercise: str) -> list[Line]:
    """One failed check in full, in under 15 lines."""
    lines = [*_wrapped(f"{row.name}: {row.message}" if row.name else row.message, "plain")]
    cause = CAUSES.get(row.cause or "")
    if cause is not None:
        lines += _wrapped(f"cause: {cause.id} - {cause.title}", "cause")
    root = CAUSES.get(row.root or "")
    if root is not None:
        lines += _wrapped(f"behind it: {root.id} - {root.title}", "cause")
    if row.location is not None:
        lines += located(row.location)
    if row.got or row.expected:
        lines += [Line(_cut(f"  got       {row.got}")), Line(_cut(f"  expected  {row.expected}"))]
    if row.state == "broken":
        lines.append(Line("  This is a fault of the course, not yours. Please report it.", "bad"))
        return lines
    if cause is not None:
        lines += _wrapped(f"next: {(root or cause).fix}", "plain")
    lines.append(Line(f"  hint: gradclinic hint {exercise}", "dim"))
    return lines


def located(location: Location) -> list[Line]:
    """`file:line` and the source, with a caret line where the columns are known."""
    source = location.source.strip()
    shift = len(location.source) - len(location.source.lstrip())
    lines = [Line(f"  {_printable(_shown(location.file))}:{location.line}", "dim"), Line(_cut(f"    {source}"), "code")]
    if location.column is not None and location.column > shift:
        width = max(1, (location.end_column or location.column + 1) - location.column)
        start = location.column - 1 - shift
        if start + 4 < _WIDTH:
            lines.append(Line(" " * (4 + start) + "^" * min(width, _WIDTH - start - 4), "bad"))
    return lines


def _shown(file: Path) -> str:
    """The path from where the learner stands, if it lies below."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


def noise(rows: tuple[CheckRow, ...], shown: CheckRow | None) -> list[Line]:
    """PyTorch's warnings (never scored), the learner's prints, remarks on what was accepted."""
    lines: list[Line] = []
    label = "passed, with a remark" if all(row.passed for row in rows) else "remark"
    for remark in dict.fromkeys(remark for row in rows for remark in row.remarks):
        lines += _wrapped(f"{label}: {remark}", "cause")
    # the same words at several lines are told once
    warned = {warning.partition(": ")[2]: warning for row in reversed(rows) for warning in reversed(row.warnings)}
    for warning in list(reversed(warned.values()))[:_MOST_LINES]:
        lines.append(Line(_cut(f"  warning (not scored), {' '.join(warning.split())}"), "dim"))
    if shown is not None and (printed := shown.prints.strip().splitlines()):
        lines += [Line(_cut(f"  printed | {text}"), "dim") for text in printed[:_MOST_LINES]]
        if len(printed) > _MOST_LINES:
            more = len(printed) - _MOST_LINES
            lines.append(Line(f"  printed | ... {more} more line{'s' if more > 1 else ''}", "dim"))
    return lines


@lru_cache(1024)  # a class makes the same mistakes
def _wrapped(text: str, style: str) -> tuple[Line, ...]:
    fitting = textwrap.TextWrapper(
        _WIDTH, initial_indent="  ", subsequent_indent="    ", max_lines=_MOST_LINES, placeholder=" ..."
    )
    return tuple(Line(part, style) for part in fitting.wrap(_printable(text)))


def _cut(text: str) -> str:
    clean = _printable(text)
    return clean if len(clean) <= _WIDTH else clean[: _WIDTH - 3] + "..."


def _printable(text: str) -> str:
    """No terminal codes from a learner's text, and nothing that a stream could refuse to encode."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
